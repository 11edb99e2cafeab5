import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from '@jest/globals';
import { InvalidRequest } from '../../src/platform/errors.ts';
import { unzstd } from '../../src/tracing/request/zstd.ts';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';

const MB = 1024 * 1024;
const BODY_BYTES = 24 * MB;
const QUEUE_BYTES = 64 * MB;
// Covers requests in progress as bytes, text and parsed values, until garbage collection. The bombs expand to 16 GB.
const MOST_GROWTH_MB = 1_300;
const BOUNDARY = 'b0undary';

const platform = usePlatform();
let api: PlatformProcess;
beforeAll(async () => {
  api = await platform.start('api', {
    SLIPWAY_TRACE_BODY_BYTES: String(BODY_BYTES),
    SLIPWAY_TRACE_QUEUE_BYTES: String(QUEUE_BYTES),
  });
});

/** A tiny zstd frame whose blocks each expand to 128 KB of one byte. */
function zstdBomb(megabytes: number, windowLog = 17): Buffer {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3]);
  const block = (isLast: boolean) => {
    const bytes = Buffer.alloc(4, 'a');
    bytes.writeUIntLE((128 * 1024 * 8) | 2 | Number(isLast), 0, 3);
    return bytes;
  };
  const blocks = megabytes * 8;
  return Buffer.concat([head, ...Array.from({ length: blocks }, (_, index) => block(index === blocks - 1))]);
}

const memory = async (name: 'VmRSS' | 'VmHWM') => {
  const status = await readFile(`/proc/${api.child.pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)![1]) / 1024;
};
const multipart = (parts: string) => `--${BOUNDARY}\r\n${parts}\r\n--${BOUNDARY}--\r\n`;
const part = (name: string, body: string) =>
  `Content-Disposition: form-data; name="${name}"\r\nContent-Type: application/json\r\n\r\n${body}`;
const run = (text: string) => {
  const id = randomUUID();
  const main = JSON.stringify({ id, name: 'large', run_type: 'llm', start_time: Date.now() });
  return `${part(`post.${id}`, main)}\r\n--${BOUNDARY}\r\n${part(`post.${id}.inputs`, JSON.stringify({ text }))}`;
};

async function send(body: Buffer | string, encoding?: string): Promise<number> {
  const response = await fetch(`${api.url}/runs/multipart`, {
    method: 'POST',
    headers: {
      'x-api-key': API_KEY,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      ...(encoding && { 'content-encoding': encoding }),
    },
    body: new Uint8Array(Buffer.from(body)),
  });
  await response.arrayBuffer();
  return response.status;
}

test('answers concurrent decompression bombs, huge runs and broken bodies in bounded memory', async () => {
  expect(await send(multipart(run('first')))).toBe(202);
  const before = await memory('VmRSS');
  const gzipBomb = gzipSync(Buffer.alloc(96 * MB, 'a'));
  const zstd = zstdBomb(2_000);
  // 20 MB of incompressible data, and 20 MB of brackets.
  const large = multipart(run(randomBytes(10 * MB).toString('hex')));
  const brackets = multipart(run('').replace('{"text":""}', `[${'[],'.repeat(7 * MB)}[]]`));
  const broken = Buffer.from(large).subarray(0, 15 * MB);
  const many = (count: number, ...request: Parameters<typeof send>) =>
    Promise.all(Array.from({ length: count }, () => send(...request)));
  const [bombs, runs, rest] = await Promise.all([
    Promise.all([many(4, gzipBomb, 'gzip'), many(4, zstd, 'zstd')]),
    Promise.all([many(3, large), many(2, brackets)]),
    Promise.all([
      many(2, broken),
      many(2, broken, 'gzip'),
      many(1, zstdBomb(1, 31), 'zstd'),
      many(1, randomBytes(MB), 'zstd'),
      many(1, Buffer.alloc(25 * MB)),
    ]),
  ]);
  // Too large, unreadable or retryable.
  expect(bombs.flat().filter((status) => status !== 413 && status !== 503)).toEqual([]);
  expect(runs.flat().filter((status) => status !== 202 && status !== 503)).toEqual([]);
  expect(rest.flat().filter((status) => ![413, 422, 503].includes(status))).toEqual([]);
  const growth = (await memory('VmHWM')) - before;
  expect(growth).toBeLessThan(MOST_GROWTH_MB);
  // Later requests succeed, so the rejected ones released their memory.
  expect(await send(large)).toBe(202);
  expect((await ask(api.url, 'GET', '/info')).status).toBe(200);
});

test('decompresses zstd block by block within the window limit', () => {
  const inflate = (bytes: Buffer) => [...unzstd(bytes)];
  expect(Buffer.concat(inflate(zstdBomb(1))).equals(Buffer.alloc(MB, 'a'))).toBe(true);
  const pieces = unzstd(zstdBomb(4_000))[Symbol.iterator]();
  expect((pieces.next().value as Buffer).length).toBeLessThanOrEqual(128 * 1024);
  const two = Buffer.concat([zstdBomb(1), zstdBomb(1, 31)]);
  expect(() => inflate(two)).toThrow('The zstd window of the request body is too wide');
  for (const cut of [3, 7, 9, 30, 37])
    expect(() => inflate(zstdBomb(1).subarray(0, cut))).toThrow(InvalidRequest);
  // Empty blocks, each of which costs CPU time.
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (23 - 10) << 3]);
  expect(() => inflate(Buffer.concat([head, Buffer.alloc(3 * 10_000)]))).toThrow('too many zstd blocks');
});
