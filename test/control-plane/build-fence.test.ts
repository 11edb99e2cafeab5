import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { artifactFolder } from '../../src/control-plane/build-folders.ts';
import { installPackage } from '../support/debian-package.ts';
import { forbiddenTargets, REACH } from '../support/reach.ts';
import { LINK, MODULES, PROJECT, useBuilds } from './build-setting.ts';

// What a build can reach on the network. Only root on Linux can set up a fence.
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const ifFenced = isRoot ? test : test.skip;
const { dataDir, build, repository } = useBuilds();
const servers: Server[] = [];

beforeAll(async () => {
  if (!isRoot) return;
  await installPackage('slirp4netns', 'command -v slirp4netns');
  await installPackage('nftables', 'command -v nft');
}, 300_000);
afterAll(() => servers.forEach((server) => server.close()));

const DATABASE_URL = process.env['TEST_DATABASE_URL']!;
const TEMPORAL_ADDRESS = process.env['TEST_TEMPORAL_ADDRESS']!;

/** Real clients of Postgres and Temporal. */
const CLIENTS = `import { createRequire } from 'node:module';
const require = createRequire('${MODULES}/');
const { Connection } = require('@temporalio/client');
const { Client } = require('pg');
const said = (what) => (error) => console.log(what, error.code ?? error.name);
await new Client({ connectionString: process.env.ATTACKED_URL, connectionTimeoutMillis: 5000 })
  .connect().then(() => console.log('SQL connected'), said('SQL'));
await Connection.connect({ address: process.env.ATTACKED_ADDRESS, connectTimeout: '3s' })
  .then(() => console.log('gRPC connected'), said('gRPC'));
`;

ifFenced(
  'a build reaches neither Postgres nor Temporal nor any other port of this machine, and installs packages',
  async () => {
    const { url } = repository({
      ...PROJECT,
      'reach.cjs': REACH,
      'clients.mjs': CLIENTS,
      'package.json': JSON.stringify({ name: 'agent', version: '1.0.0', dependencies: { ms: '2.1.3' } }),
    });
    const targets = forbiddenTargets();
    const { artifact, lines } = await build({
      source_config: {
        repo_url: url,
        install_command: `npm install && ${LINK}`,
        build_command: `node clients.mjs; echo "reached $(node -e "$(cat reach.cjs)" "$TARGETS")"`,
      },
      environment: {
        TARGETS: JSON.stringify(targets),
        ATTACKED_URL: DATABASE_URL,
        ATTACKED_ADDRESS: TEMPORAL_ADDRESS,
      },
      settings: { DATABASE_URL, TEMPORAL_ADDRESS },
    });
    expect(targets.length).toBeGreaterThan(10);
    expect(lines).toEqual(
      expect.arrayContaining([
        'SQL ECONNREFUSED',
        expect.stringMatching(/^gRPC (?!connected)/),
        'reached []',
      ]),
    );
    expect(existsSync(join(artifactFolder(dataDir, artifact), 'node_modules/ms/package.json'))).toBe(true);
  },
);

ifFenced('a registry at a loopback address that the operator has set is reached', async () => {
  const server = createServer((request, response) => response.end(`registry ${request.url}`)).listen(
    0,
    '127.0.0.1',
  );
  servers.push(server);
  await once(server, 'listening');
  const before = process.env['npm_config_registry'];
  process.env['npm_config_registry'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const fetched = `node -e "fetch(process.env.npm_config_registry + '/ms').then((r) => r.text()).then(console.log)"`;
    const { url } = repository(PROJECT);
    const { lines } = await build({ source_config: { repo_url: url, build_command: fetched } });
    expect(lines).toContain('registry /ms');
  } finally {
    if (before === undefined) delete process.env['npm_config_registry'];
    else process.env['npm_config_registry'] = before;
  }
});
