import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loginFor } from '../../src/control-plane/registry/registry-logins.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'slipway-logins-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const login = (user: string) => ({ auth: Buffer.from(`${user}:a:secret`).toString('base64') });
const AUTHS = {
  'https://index.docker.io/v1/': login('hub'),
  'registry.example': { username: 'whole', password: 'a:secret' },
  'registry.example/team': login('team'),
  'localhost:5000': login('local'),
  'kept.example': {},
};

test.each([
  ['nginx', 'hub', 'https://index.docker.io/v1/'],
  ['team/agent:1', 'hub', 'https://index.docker.io/v1/'],
  ['docker.io/team/agent@sha256:00', 'hub', 'https://index.docker.io/v1/'],
  ['registry.example/agent:1', 'whole', 'registry.example'],
  ['registry.example/team/agent', 'team', 'registry.example'],
  ['registry.example/teams/agent', 'whole', 'registry.example'],
  ['localhost:5000/agent', 'local', 'localhost:5000'],
  ['localhost:5001/agent', undefined, undefined],
  ['kept.example/agent', undefined, undefined],
  ['sub.registry.example/agent', undefined, undefined],
])('%s is pulled as %s', async (image, username, serveraddress) => {
  const file = join(dir, 'config.json');
  await writeFile(file, JSON.stringify({ auths: AUTHS }));
  const expected = username && { username, password: 'a:secret', serveraddress };
  expect(await loginFor({ SLIPWAY_REGISTRY_AUTH_FILE: file }, image)).toEqual(expected);
});

test('without a file nobody is named; one that cannot be read tells nothing of itself', async () => {
  expect(await loginFor({}, 'nginx')).toBeUndefined();
  const file = join(dir, 'broken.json');
  for (const text of ['{ "auths": ', '[]', '{}', '{"auths":{"x":{"auth":1}}}']) {
    await writeFile(file, text);
    const said = loginFor({ SLIPWAY_REGISTRY_AUTH_FILE: file }, 'nginx');
    await expect(said).rejects.toThrow('the file of SLIPWAY_REGISTRY_AUTH_FILE cannot be read');
  }
  const said = loginFor({ SLIPWAY_REGISTRY_AUTH_FILE: join(dir, 'missing') }, 'nginx');
  await expect(said).rejects.toThrow('the file of SLIPWAY_REGISTRY_AUTH_FILE cannot be read');
});
