import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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

test('without a file there are no credentials; errors do not reveal its content', async () => {
  expect(await loginFor({}, 'nginx')).toBeUndefined();
  const file = join(dir, 'broken.json');
  for (const text of ['{ "auths": ', '[]', '{"auths":{"x":{"auth":1}}}', '{"credsStore":{}}']) {
    await writeFile(file, text);
    const lookup = loginFor({ SLIPWAY_REGISTRY_AUTH_FILE: file }, 'nginx');
    await expect(lookup).rejects.toThrow('SLIPWAY_REGISTRY_AUTH_FILE cannot be read');
  }
  const lookup = loginFor({ SLIPWAY_REGISTRY_AUTH_FILE: join(dir, 'missing') }, 'nginx');
  await expect(lookup).rejects.toThrow('SLIPWAY_REGISTRY_AUTH_FILE cannot be read');
});

// Programs that act as credential helpers: the first argument is `get`, the input a registry's address.
const HELPERS = {
  good: `read -r at; [ "$1" = get ] && printf '{"ServerURL":"%s","Username":"u %s","Secret":"s %s"}' "$at" "$at" "$DATABASE_URL"`,
  knows: `echo 'credentials not found in native keychain'; exit 1`,
  locked: `echo 'the secret word is swordfish'; exit 3`,
  mute: 'exec sleep 600',
  chatty: 'echo swordfish',
  token: `echo '{"Username":"<token>","Secret":"swordfish"}'`,
};

describe('a helper', () => {
  const { PATH, DATABASE_URL } = process.env;
  beforeAll(async () => {
    for (const [name, script] of Object.entries(HELPERS)) {
      const file = join(dir, `docker-credential-${name}`);
      await writeFile(file, `#!/bin/sh\n${script}\n`);
      await chmod(file, 0o755);
    }
    process.env['PATH'] = `${dir}:${PATH}`;
    process.env['DATABASE_URL'] = 'the platform’s own';
  });
  afterAll(() => {
    process.env['PATH'] = PATH;
    if (DATABASE_URL === undefined) delete process.env['DATABASE_URL'];
    else process.env['DATABASE_URL'] = DATABASE_URL;
  });
  const asked = async (helpers: object, image: string, seconds = 120) => {
    const file = join(dir, 'helpers.json');
    await writeFile(file, JSON.stringify({ auths: { ...AUTHS, 'asked.example': {} }, ...helpers }));
    return loginFor({ SLIPWAY_REGISTRY_AUTH_FILE: file, SLIPWAY_REGISTRY_HELPER_SECONDS: seconds }, image);
  };
  const answer = (serveraddress: string) => ({
    username: `u ${serveraddress}`,
    password: 's ',
    serveraddress,
  });

  test("is used for a registry without credentials; the registry's own before the default", async () => {
    const helpers = { credHelpers: { 'asked.example': 'good' }, credsStore: 'knows' };
    expect(await asked(helpers, 'asked.example/agent:1')).toEqual(answer('asked.example'));
    expect(await asked(helpers, 'other.example/agent:1')).toBeUndefined();
    expect(await asked({ credsStore: 'good' }, 'other.example:5000/a/b')).toEqual(
      answer('other.example:5000'),
    );
    expect(await asked({ auths: {}, credsStore: 'good' }, 'nginx')).toEqual(
      answer('https://index.docker.io/v1/'),
    );
    expect(await asked(helpers, 'registry.example/agent')).toMatchObject({ username: 'whole' });
  });

  test.each([
    ['locked', 'has failed with exit code 3'],
    ['mute', 'has not answered within 0.3 s'],
    ['chatty', 'has not answered with a login'],
    ['token', 'answers with an identity token'],
    ['missing', 'is not on the PATH'],
  ])('%s: %s, and its output is not shown', async (credsStore, reason) => {
    const seconds = credsStore === 'mute' ? 0.3 : undefined;
    const failure: Error = await asked({ credsStore }, 'asked.example/agent', seconds).then(
      () => new Error('nothing'),
      (error: Error) => error,
    );
    expect(failure).toMatchObject({ name: 'StartFailed', message: expect.stringContaining(reason) });
    expect(failure.message).toContain(`docker-credential-${credsStore}`);
    expect(failure.message).not.toContain('swordfish');
  });

  test('is a name, not a path', async () => {
    await expect(asked({ credsStore: '../../bin/sh' }, 'asked.example/agent')).rejects.toThrow(
      'invalid credential helper name',
    );
  });
});
