import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { noSshServer, type SshServer, startSshServer } from '../support/ssh-server.ts';
import { PROJECT, useBuilds } from './build-setting.ts';

const reason = await noSshServer();
if (reason) console.warn(`git over ssh is tested with a stand-in alone: ${reason}`);
const check = reason ? test.skip : test;
const { dataDir, fetchOnly, repository } = useBuilds();
let server: SshServer;
let url: string;
let sha: string;

beforeAll(async () => {
  if (reason) return;
  mkdirSync(dataDir, { recursive: true });
  server = await startSshServer();
  const made = repository(PROJECT);
  sha = made.sha;
  url = `ssh://${server.place}${made.folder}`;
});
afterAll(() => server?.stop());

const fetched = async (secrets: Record<string, string>) => (await fetchOnly(url, { secrets })).commit;

check('the key authenticates, and the host key must match', async () => {
  const secrets = { GIT_SSH_KEY: server.key, GIT_SSH_KNOWN_HOSTS: server.knownHost };
  expect(await fetched(secrets)).toBe(sha);
  const [place, type] = server.knownHost.split(' ');
  const another = `${place} ${type} AAAAC3NzaC1lZDI1NTE5AAAAI${'A'.repeat(43)}`;
  await expect(fetched({ ...secrets, GIT_SSH_KNOWN_HOSTS: another })).rejects.toThrow('git could not fetch');
  await expect(fetched({ ...secrets, GIT_SSH_KEY: server.strangeKey })).rejects.toThrow(
    'git could not fetch',
  );
  await expect(fetched({ GIT_SSH_KNOWN_HOSTS: server.knownHost })).rejects.toThrow('git could not fetch');
});

check('the host key of the first contact is pinned, per port', async () => {
  const secrets = { GIT_SSH_KEY: server.key };
  expect(await fetched(secrets)).toBe(sha);
  expect(readFileSync(join(dataDir, 'known_hosts'), 'utf8').trim()).toBe(server.knownHost);
  // Another server on the same host has a different key.
  const other = await startSshServer();
  try {
    const { commit } = await fetchOnly(url.replace(server.place, other.place), {
      secrets: { GIT_SSH_KEY: other.key },
    });
    expect(commit).toBe(sha);
  } finally {
    await other.stop();
  }
  expect(await fetched(secrets)).toBe(sha);
});
