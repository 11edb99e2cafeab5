import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import { artifactFolder } from '../../src/control-plane/build-folders.ts';
import { instanceFolder } from '../../src/control-plane/drivers/process/instance-folder.ts';
import { SealedBox } from '../../src/control-plane/secrets/sealed-box.ts';
import { at } from '../support/agent-project.ts';
import { ATTACKER } from '../support/attacker-project.ts';
import { API_KEY, ask, type PlatformProcess, SWEEP_OFTEN, usePlatform } from '../support/platform.ts';
import { forbiddenTargets, type Target } from '../support/reach.ts';
import { startSlipway } from '../support/slipway-command.ts';
import { until } from '../support/until.ts';
import { insertDeployable, placeArtifact } from './control-plane-fixture.ts';

// Python code of a hostile tenant wherever it runs. Only root on Linux can set up users, namespaces and fences.
const ifFenced = process.platform === 'linux' && process.getuid?.() === 0 ? test : test.skip;
const run = promisify(execFile);
const MARKER = `marker-${randomUUID()}`;
const platform = usePlatform({ settings: SWEEP_OFTEN });
let server: PlatformProcess;
let victim: { port: number; folder: string };

/** The attacks that the project in `test/fixtures/python-attacker` should try. */
interface Order {
  sql: string;
  grpc: string;
  targets: Target[];
  files: string[];
  folders: string[];
  pid: number;
}

interface Found {
  sql: unknown;
  grpc: unknown;
  reached: Target[];
  files: string[];
  folders: (string | string[])[];
  killed: string;
  root: string;
  environments: string;
  own: string[];
}

beforeAll(async () => {
  server = await platform.start('platform', { SLIPWAY_PUBLIC_URL: '' });
  await writeFile(join(platform.dataDir, 'secret-key'), 'the key of the platform', { mode: 0o600 });
  victim = await deployVictim();
}, 300_000);

/** An agent of another tenant. */
async function deployVictim(): Promise<{ port: number; folder: string }> {
  const { db, dataDir, env } = platform;
  const box = new SealedBox([env['SLIPWAY_SECRET_KEY']!]);
  const artifact = await placeArtifact(dataDir, ATTACKER);
  const { id } = await insertDeployable({ db, box }, artifact, { environment: { MARKER }, untouched: true });
  const instance = async () =>
    (
      await db.query<{ port: number; replica: number }>(
        `select port, replica from control_plane.instance join control_plane.revision on id = revision_id
         where id = $1 and revision.status = 'DEPLOYED'`,
        [id],
      )
    ).rows[0];
  await until('the victim serves', async () => (await instance()) !== undefined);
  const { port, replica } = (await instance())!;
  return { port, folder: instanceFolder(dataDir, { revision_id: id, replica }).dir };
}

const newOrder = (): Order => ({
  sql: platform.env['DATABASE_URL']!,
  grpc: platform.env['TEMPORAL_ADDRESS']!,
  targets: forbiddenTargets(),
  files: [join(platform.dataDir, 'secret-key'), join(victim.folder, 'output.log')],
  folders: [platform.dataDir, victim.folder],
  pid: server.child.pid!,
});

/** Deploys the attacker; resolves with the id of its deployment and the folder of its artifact. */
async function deployAttacker(): Promise<{ id: string; artifact: string }> {
  const env = { SLIPWAY_URL: server.url, SLIPWAY_API_KEY: API_KEY };
  const order = `ATTACK=${JSON.stringify(newOrder())}`;
  const args = [
    'deploy',
    at('test/fixtures/python-attacker'),
    '--name',
    'attacker',
    '--json',
    '--env',
    order,
  ];
  const { code, stderr, stdout } = await startSlipway(args, env).ended;
  expect({ code, said: stderr + stdout }).toEqual({ code: 0, said: expect.stringContaining('DEPLOYED') });
  const { json } = await ask(server.url, 'GET', '/v2/deployments?name=attacker');
  const { id } = json.resources[0] as { id: string };
  const { rows } = await platform.db.query<{ artifact: string }>(
    'select artifact from control_plane.revision where deployment_id = $1',
    [id],
  );
  return { id, artifact: artifactFolder(platform.dataDir, rows[0]!.artifact) };
}

/** The same attack without a sandbox; its findings show that the attack works. */
async function attackUnfenced(artifact: string): Promise<Found> {
  const order = { ...newOrder(), pid: 2 ** 22 };
  const script =
    'import json, sys; from attack import attack; print(json.dumps(attack(json.loads(sys.argv[1]))))';
  const { stdout } = await run(join(artifact, '.venv/bin/python'), ['-c', script, JSON.stringify(order)], {
    cwd: artifact,
    env: { PATH: process.env['PATH'] },
    maxBuffer: 100_000_000,
  });
  return JSON.parse(stdout) as Found;
}

ifFenced(
  'Python of a tenant reaches nothing of the platform: built, imported, in a node and in http.app',
  async () => {
    const { id, artifact } = await deployAttacker();
    const order = newOrder();
    expect(order.targets.map(([, port]) => port)).toEqual(expect.arrayContaining([victim.port]));
    const agent = `/d/${id}`;
    const ran = await ask(server.url, 'POST', `${agent}/runs/wait`, {
      assistant_id: 'agent',
      input: { order },
    });
    const answered = await ask(server.url, 'POST', `${agent}/strike`, order);
    const found: Record<string, Found> = { ...ran.json.found, ...answered.json };
    expect(Object.keys(found).sort()).toEqual(
      ['a node', 'build backend', 'http.app', 'import of a graph', 'import of http.app', 'setup.py'].sort(),
    );
    for (const [place, { environments, own, folders, ...tried }] of Object.entries(found)) {
      const refused = expect.stringMatching(/^failed: (?:FileNotFound|Permission)Error$/);
      expect({ place, ...tried }).toEqual({
        place,
        sql: 'failed: OperationalError',
        grpc: 'failed: _InactiveRpcError',
        reached: [],
        files: [refused, refused],
        killed: expect.stringMatching(/^failed: (?:ProcessLookup|Permission)Error$/),
        root: 'failed: PermissionError',
      });
      // In a build, the data folder exists and is empty.
      for (const listed of folders) expect([[], refused]).toContainEqual(listed);
      for (const secret of [MARKER, platform.env['SLIPWAY_SECRET_KEY']!, API_KEY])
        expect({ place, holds: environments.includes(secret) }).toEqual({ place, holds: false });
      expect(
        own.filter((name) => /^(?:DATABASE_URL|TEMPORAL_|SLIPWAY_.*(?:KEY|TOKEN|SECRET))/.test(name)),
      ).toEqual([]);
    }

    const unfenced = await attackUnfenced(artifact);
    expect(unfenced).toMatchObject({
      sql: [1],
      grpc: expect.any(Number),
      files: ['the key of the platform', expect.any(String)],
    });
    expect(unfenced.reached.map(([, port]) => port)).toEqual(expect.arrayContaining([victim.port]));
    expect(unfenced.environments).toContain(MARKER);
  },
);
