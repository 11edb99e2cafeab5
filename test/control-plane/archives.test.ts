import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { create, Header } from 'tar';
import { unpackArchive } from '../../src/control-plane/builds/archive-source.ts';
import { useBuilds, writeFiles } from './build-setting.ts';

const { root } = useBuilds();
const MEGABYTE = 1_048_576;
let count = 0;

/** An archive with one entry with this exact header, which no tool would create. */
function entry(path: string, type: string, content = '', linkpath?: string): string {
  const block = Buffer.alloc(512);
  new Header({
    path,
    type: type as 'File',
    size: content.length,
    mode: 0o644,
    ...(linkpath && { linkpath }),
  }).encode(block);
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.write(content);
  const file = join(root, `archive-${count++}.tar.gz`);
  writeFileSync(file, gzipSync(Buffer.concat([block, body, Buffer.alloc(1_024)])));
  return file;
}

async function unpack(archive: string, limit = MEGABYTE): Promise<{ work: string; outcome: string }> {
  const work = await mkdtemp(join(root, 'work-'));
  const { signal } = new AbortController();
  const outcome = await unpackArchive(archive, { work, limit, signal }).then(
    () => 'unpacked',
    ({ name, message }: Error) => `${name}: ${message}`,
  );
  return { work, outcome };
}

test('an archive is unpacked with its folders', async () => {
  const folder = mkdtempSync(join(root, 'project-'));
  writeFiles(folder, { 'a/b/c.txt': 'c', 'graph.json': '{}' });
  const file = join(root, 'good.tar.gz');
  await create({ gzip: true, file, cwd: folder }, ['.']);
  const { work, outcome } = await unpack(file);
  expect(outcome).toBe('unpacked');
  expect(existsSync(join(work, 'source/a/b/c.txt'))).toBe(true);
});

test.each([
  ['/etc/cron.d/evil', 'File', undefined],
  ['../evil', 'File', undefined],
  ['a/../../evil', 'File', undefined],
  ['c:\\evil', 'File', undefined],
  ['link', 'SymbolicLink', '/etc/passwd'],
  ['hard', 'Link', '/etc/passwd'],
  ['null', 'CharacterDevice', undefined],
  ['disk', 'BlockDevice', undefined],
  ['pipe', 'FIFO', undefined],
])('%s, a %s, is refused', async (path, type, link) => {
  const { work, outcome } = await unpack(entry(path, type, type === 'File' ? 'evil' : '', link));
  expect(outcome).toMatch(/^BuildFailed: The archive contains '/);
  expect(existsSync(join(work, '../evil'))).toBe(false);
});

test('does not write through a link in the archive', async () => {
  const folder = mkdtempSync(join(root, 'linked-'));
  const target = join(root, 'target');
  mkdirSync(target);
  symlinkSync(target, join(folder, 'out'));
  const file = join(root, 'linked.tar.gz');
  execFileSync('tar', ['czf', file, '-C', folder, 'out']);
  expect((await unpack(file)).outcome).toContain("contains 'out', a SymbolicLink");
});

test('an archive that unpacks beyond the limit is refused, however small it is', async () => {
  const folder = mkdtempSync(join(root, 'bomb-'));
  writeFileSync(join(folder, 'zeros'), Buffer.alloc(64 * MEGABYTE));
  const file = join(root, 'bomb.tar.gz');
  await create({ gzip: true, file, cwd: folder }, ['.']);
  expect((await unpack(file)).outcome).toBe(
    `BuildFailed: The archive unpacks to more than ${MEGABYTE} bytes`,
  );
});

test.each([
  ['no archive at all', Buffer.from('hello')],
  ['half of one', gzipSync(Buffer.alloc(10_000, 'x')).subarray(0, 20)],
  ['something else, compressed', gzipSync('x'.repeat(2_000))],
  ['nothing, compressed', gzipSync('')],
])('%s is refused', async (_what, bytes) => {
  const file = join(root, `bad-${count++}.tar.gz`);
  writeFileSync(file, bytes);
  expect((await unpack(file)).outcome).toMatch(/^BuildFailed: The archive is (not a complete|empty)/);
});
