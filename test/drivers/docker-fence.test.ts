import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Client as AgentClient } from '@langchain/langgraph-sdk';
import type { Container } from 'dockerode';
import { checkContainerFence } from '../../src/control-plane/drivers/docker/container-fence-check.ts';
import { DockerDriver } from '../../src/control-plane/drivers/docker/docker-driver.ts';
import { ensureHostsNetwork } from '../../src/control-plane/drivers/docker/hosts-network.ts';
import { hostsNetwork, platformLabel } from '../../src/control-plane/drivers/docker/replica-names.ts';
import { runOnce } from '../../src/control-plane/drivers/docker/run-once.ts';
import { Supervisor } from '../../src/control-plane/drivers/supervisor.ts';
import { ensureGatewayToken } from '../../src/control-plane/gateway/gateway-token.ts';
import { listLines } from '../../src/control-plane/logs/log-repository.ts';
import { findRevision } from '../../src/control-plane/records/revision-repository.ts';
import type { RevisionRow } from '../../src/control-plane/records/revision.ts';
import {
  gatewayHeaders,
  insertDeployable,
  placeArtifact,
  useDriverOptions,
} from '../control-plane/control-plane-fixture.ts';
import { ATTACKER } from '../support/attacker-project.ts';
import { openDockerEngine } from '../support/docker-engine.ts';
import { IMAGE_MODULES } from '../support/docker-image.ts';
import { forbiddenTargets, machineAddresses, REACH, reachBody, type Target } from '../support/reach.ts';
import { type Relay, relay } from '../support/relay.ts';
import { until } from '../support/until.ts';

const engine = await openDockerEngine();
const reason = 'reason' in engine ? engine.reason : undefined;
if (reason) console.warn(`The fence of containers is not tested here: ${reason}`);
const { docker, image, address } = 'reason' in engine ? ({} as never) : engine;
const isOurs = !('reason' in engine) && engine.tls !== undefined;
const suite = reason ? describe.skip : describe;

const PUBLIC = '203.0.113';
const DRAIN_SECONDS = '11';
const SERVES = `
const { env } = process;
const net = require('node:net');
const reached = ([host, port]) => new Promise((resolve) => {
  const socket = net.connect({ host, port, timeout: 3000 });
  const say = (answer) => () => { socket.destroy(); resolve(answer); };
  socket.once('connect', say(true)).once('error', say(false)).once('timeout', say(false));
});
const targets = JSON.parse(env.TARGETS);
const first = Promise.all(targets.map(reached)).then((seen) => targets.filter((_target, index) => seen[index]));
require('node:http').createServer(async (request, response) => {
  response.end(JSON.stringify({ env, uid: process.getuid(), reached: await first }));
}).listen(env.PORT, env.HOST);`;

const relays: Relay[] = [];
afterAll(async () => {
  for (const one of relays) await one.close();
  if (!('reason' in engine)) await engine.stop();
});

suite('code of a tenant in containers', () => {
  const options = useDriverOptions({
    SLIPWAY_DRIVER: 'docker',
    SLIPWAY_DRAIN_SECONDS: DRAIN_SECONDS,
    SLIPWAY_DEPLOY_TIMEOUT_SECONDS: '120',
    SLIPWAY_DOCKER_SOCKET: address,
    SLIPWAY_DOCKER_BASE_IMAGE: image,
  });
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });
  let network: string;
  /** Postgres, Temporal and whatever else listens on this machine, at addresses that containers can reach. */
  let targets: Target[];

  beforeAll(async () => {
    const platform = platformLabel(options().config, options().databaseUrl);
    network = hostsNetwork(platform);
    await ensureHostsNetwork(docker, platform);
    const local = (port: string) => () => ({ host: '127.0.0.1', port: Number(port) });
    const { databaseUrl, temporal } = options();
    for (const port of [new URL(databaseUrl).port, temporal.address.split(':')[1]!])
      relays.push(await relay('0.0.0.0', local(port)));
    targets = forbiddenTargets();
  });

  async function started(
    about: Parameters<typeof insertDeployable>[2] = {},
    imageUri?: string,
    using = options(),
  ): Promise<{ url: string; revision: RevisionRow; driver: DockerDriver }> {
    const { db, box, dataDir } = options();
    const artifact = await placeArtifact(dataDir, ATTACKER, IMAGE_MODULES);
    let revision = await insertDeployable({ db, box }, artifact, {
      environment: { MARKER: 'own' },
      ...about,
    });
    if (imageUri !== undefined) {
      await db.query(
        `update control_plane.revision set artifact = null, source = 'external_container',
           source_revision_config = $2 where id = $1`,
        [revision.id, { image_uri: imageUri }],
      );
      revision = (await findRevision(db, revision.id))!;
    }
    const driver = new DockerDriver(using, docker);
    ends.push(() => driver.erase(revision.deployment_id));
    const environment = Object.entries(about.environment ?? { MARKER: 'own' }).map(([name, value]) => ({
      name,
      value,
    }));
    const { url } = await driver.start({
      revision,
      environment,
      replicas: 1,
      log: () => {},
      signal: new AbortController().signal,
    });
    return { url, revision, driver };
  }

  const agentAt = async (url: string, { id }: RevisionRow): Promise<AgentClient> =>
    new AgentClient({ apiUrl: url, defaultHeaders: await gatewayHeaders(options(), id) });

  /** Runs code in an attacker's graph. */
  async function attack(url: string, revision: RevisionRow, code: string): Promise<unknown> {
    const input = { said: code };
    const { said } = (await (await agentAt(url, revision)).runs.wait(null, 'agent', { input })) as {
      said: string;
    };
    return JSON.parse(said);
  }

  const containerOf = ({ id }: RevisionRow, part = ''): Container =>
    docker.getContainer(`slipway-${id}-0${part}`);

  const addressOf = async (container: Container): Promise<string> => {
    const { NetworkSettings } = await container.inspect();
    return NetworkSettings.Networks[network]!.IPAddress;
  };

  /** An image of a program that serves the API itself. */
  async function commit(program: string, name: string): Promise<string> {
    const container = await docker.createContainer({ Image: image });
    const changes = [
      `ENTRYPOINT ${JSON.stringify([process.execPath, '-e', program])}`,
      'USER 0',
      'EXPOSE 9000',
      'LABEL slipway.host=',
    ];
    await container.commit({ repo: name, tag: '1', changes });
    await container.remove();
    ends.push(async () => void (await docker.getImage(`${name}:1`).remove({ force: true })));
    return `${name}:1`;
  }

  test('graph hosts hold no credential and reach nothing of the platform and of others', async () => {
    const [{ url, revision }, victim] = [await started(), await started()];
    const victimAddress = await addressOf(containerOf(victim.revision, '-network'));
    const all: Target[] = [...targets, [victimAddress, 8_000]];
    // Without the fence, a container in the same network reaches this machine.
    const open = await runOnce(docker, {
      Image: image,
      Entrypoint: [process.execPath, '-e', REACH, JSON.stringify(targets)],
      HostConfig: { NetworkMode: network },
    });
    const ports = relays.map(({ port }) => port);
    const reachable = (JSON.parse(open.output) as Target[]).map(([, port]) => port);
    expect(reachable).toEqual(expect.arrayContaining(ports));
    expect(await attack(url, revision, reachBody(all))).toEqual({ value: [] });

    const seen = await attack(
      url,
      revision,
      `const { readdirSync, readFileSync } = require('node:fs');
       return readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map((pid) => ['environ', 'cmdline'].map((file) => {
         try { return readFileSync('/proc/' + pid + '/' + file, 'utf8'); } catch (error) { return error.code; }
       }));`,
    );
    const text = JSON.stringify(seen);
    expect(text).toContain('MARKER=own');
    const gatewayToken = await ensureGatewayToken(options(), revision.id);
    const { password } = new URL(options().databaseUrl);
    for (const secret of ['postgres', 'DATABASE_URL', 'TEMPORAL', 'GATEWAY', gatewayToken, password])
      if (secret) expect(text).not.toContain(secret);

    const tries = await attack(
      url,
      revision,
      `const { spawnSync } = require('node:child_process');
       const { existsSync, writeFileSync } = require('node:fs');
       const tried = (work) => { try { work(); return 'done'; } catch (error) { return error.code; } };
       return {
         rules: spawnSync('/usr/sbin/nft', ['flush', 'ruleset']).status,
         socket: tried(() => writeFileSync('/run/slipway/other.sock', '')),
         project: tried(() => writeFileSync('/project/agent.js', '')),
         engine: existsSync('/var/run/docker.sock'),
         uid: process.getuid(),
       };`,
    );
    expect(tries).toEqual({
      value: { rules: 1, socket: 'EROFS', project: 'EROFS', engine: false, uid: expect.any(Number) },
    });
    expect((tries as { value: { uid: number } }).value.uid).toBeGreaterThan(1_000_000);
  });

  test('a second container with the token of the first is refused while that is connected', async () => {
    const { url, revision } = await started();
    const result = await attack(
      url,
      revision,
      `const { spawnSync } = require('node:child_process');
       const { readFileSync } = require('node:fs');
       const env = Object.fromEntries(readFileSync('/proc/' + process.ppid + '/environ', 'utf8').split('\\0').filter(Boolean)
         .map((line) => line.split(/=(.*)/s)));
       const [node, program] = readFileSync('/proc/' + process.ppid + '/cmdline', 'utf8').split('\\0').filter((word) => word.startsWith('/'));
       const second = spawnSync(node, [program, 'host', '--config=/project/graph.json'], { env, timeout: 8000 });
       return String(second.stdout) + second.stderr;`,
    );
    expect((result as { value: string }).value).toContain('The server is connected to another container');
    expect(await attack(url, revision, 'return 1')).toEqual({ value: 1 });
  });

  test('runs go on in another container when the graph hosts are killed, and the server stays', async () => {
    const { url, revision, driver } = await started();
    const supervisor = new Supervisor(options(), driver);
    const client = await agentAt(url, revision);
    const { thread_id } = await client.threads.create();
    const before = await containerOf(revision).inspect();
    const code = `await new Promise((resolve) => setTimeout(resolve, 15_000)); return process.env.MARKER`;
    const run = await client.runs.create(thread_id, 'agent', { input: { said: code } });
    const isRunning = async () => (await client.runs.get(thread_id, run.run_id)).status === 'running';
    await until('it runs', isRunning);
    await options().db.query(`update control_plane.instance set state = 'running' where revision_id = $1`, [
      revision.id,
    ]);
    const hostId = (await containerOf(revision, '-host').inspect()).Id;
    supervisor.start();
    try {
      await containerOf(revision, '-host').kill();
      await until('another container runs', async () => {
        const { json } = await containerOf(revision, '-host')
          .inspect()
          .then(
            (found) => ({ json: found }),
            () => ({ json: undefined }),
          );
        return json !== undefined && json.Id !== hostId && json.State.Running;
      });
      expect((await client.threads.get(thread_id)).status).toBe('busy');
      const values = (await client.runs.join(thread_id, run.run_id)) as { said: string };
      expect(values.said).toBe('{"value":"own"}');
      const after = await containerOf(revision).inspect();
      expect([after.Id, after.State.StartedAt]).toEqual([before.Id, before.State.StartedAt]);
      const lines = await linesOf(revision);
      expect(lines.filter((line) => /ended by itself: it was killed/.test(line))).toHaveLength(1);
      expect(lines.filter((line) => line.includes('agent server ready'))).toHaveLength(1);
    } finally {
      await supervisor.stop();
    }
  });

  test('graph hosts that run out of memory end alone: the API answers, and the server stays', async () => {
    const { url, revision } = await started({ resource_spec: { memory_limit_mb: 300 } });
    const before = await containerOf(revision).inspect();
    const client = await agentAt(url, revision);
    const code = `const held = []; for (;;) { held.push(Buffer.alloc(2e7, 1)); await new Promise((next) => setTimeout(next, 20)); }`;
    const { thread_id } = await client.threads.create();
    const run = await client.runs.create(thread_id, 'agent', { input: { said: code } });
    await until('it has failed', async () => {
      expect((await client.threads.get(thread_id)).thread_id).toBe(thread_id);
      await sleep(200);
      return (await client.runs.get(thread_id, run.run_id)).status === 'error';
    });
    expect(await attack(url, revision, 'return 1')).toEqual({ value: 1 });
    const after = await containerOf(revision).inspect();
    expect([after.Id, after.State.StartedAt]).toEqual([before.Id, before.State.StartedAt]);
    const { runtime } = new DockerDriver(options(), docker);
    await runtime.keepOutput({ revision_id: revision.id, replica: 0 });
    expect(await linesOf(revision)).toContainEqual(
      expect.stringContaining('a graph host ended (out of memory)'),
    );
  });

  test('an image that serves the API itself gets no credential and is fenced from its first instruction', async () => {
    const uri = await commit(SERVES, 'slipway-test-own-api');
    const { url, revision } = await started(
      { environment: { MARKER: 'own', TARGETS: JSON.stringify(targets) } },
      uri,
    );
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const answer = (await (await fetch(url)).json()) as {
      env: Record<string, string>;
      uid: number;
      reached: Target[];
    };
    expect(answer.reached).toEqual([]);
    expect(answer.uid).toBe(0);
    expect(answer.env).toMatchObject({ MARKER: 'own', PORT: '8000', HOST: '0.0.0.0' });
    expect(Object.keys(answer.env).filter((name) => /DATABASE|TEMPORAL|SLIPWAY|TOKEN/.test(name))).toEqual(
      [],
    );
    // Other containers can't reach it either.
    const own = await addressOf(containerOf(revision, '-network'));
    const { url: otherUrl, revision: other } = await started();
    expect(await attack(otherUrl, other, reachBody([[own, 8_000]]))).toEqual({ value: [] });
    expect(
      Object.keys(
        (await docker.listVolumes({ filters: { label: [`slipway.revision=${revision.id}`] } })).Volumes,
      ),
    ).toEqual([]);
  });

  test('runs are logged at the platform although its address is loopback', async () => {
    const platform = createServer((request, response) => response.end(request.url));
    await once(platform.listen(0, '127.0.0.1'), 'listening');
    ends.push(async () => void platform.close());
    const { port } = platform.address() as AddressInfo;
    const config = {
      ...options().config,
      SLIPWAY_TRACE_AGENTS: true,
      SLIPWAY_TRACE_URL: `http://localhost:${port}/api`,
    };
    const { url, revision } = await started({}, undefined, { ...options(), config });
    const code = `return [process.env.SLIPWAY_HOST_RELAY ?? null, await (await fetch(process.env.LANGSMITH_ENDPOINT + '/runs')).text()]`;
    expect(await attack(url, revision, code)).toEqual({ value: [null, '/api/runs'] });
  });

  test('the doctor tries the fence, and names what is wrong', async () => {
    const [postgres, temporal] = relays.map(({ port }) => `${machineAddresses()[0]}:${port}`);
    const settings = {
      SLIPWAY_DOCKER_SOCKET: address,
      SLIPWAY_DOCKER_BASE_IMAGE: image,
      DATABASE_URL: `postgresql://x:y@${postgres}/z`,
      TEMPORAL_ADDRESS: temporal,
    };
    expect(await checkContainerFence(settings)).toEqual({
      name: 'container fence',
      ok: true,
      detail: 'containers of graph hosts reach the Internet alone',
    });
    const open = { ...settings, DATABASE_URL: '', SLIPWAY_FENCE_ALLOW: '0.0.0.0/0' };
    expect(await checkContainerFence(open)).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/^containers of graph hosts reach /),
    });
    const closed = { ...settings, SLIPWAY_FENCE_ALLOW: '', SLIPWAY_DOCKER_BASE_IMAGE: 'slipway-test-none' };
    expect(await checkContainerFence(closed)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('slipway-test-none'),
      turns_off: 'deployments with the docker driver',
    });
    const filters = { name: ['slipway-hosts-doctor'] };
    expect(await docker.listNetworks({ filters })).toEqual([]);
  });

  // Other engines keep their networks apart.
  (isOurs ? test : test.skip)('the Internet is reached, except for what a setting denies', async () => {
    const { id: Id } = await docker.createNetwork({
      Name: 'slipway-test-internet',
      IPAM: { Config: [{ Subnet: `${PUBLIC}.0/24` }] },
    });
    ends.push(async () => void (await docker.getNetwork(Id).remove()));
    const listening = `require('node:net').createServer((socket) => socket.end()).listen(80)`;
    const far = await docker.createContainer({
      Image: image,
      Entrypoint: [process.execPath, '-e', listening],
      HostConfig: { NetworkMode: Id },
      NetworkingConfig: { EndpointsConfig: { [Id]: { IPAMConfig: { IPv4Address: `${PUBLIC}.7` } } } },
    });
    await far.start();
    ends.push(async () => void (await far.remove({ force: true })));
    const hosts = (await docker.getNetwork(network).inspect()) as { Id: string };
    for (const id of [Id, hosts.Id])
      await writeFile(`/proc/sys/net/ipv4/conf/br-${id.slice(0, 12)}/forwarding`, '1');
    const target: Target = [`${PUBLIC}.7`, 80];
    const one = await started();
    expect(await attack(one.url, one.revision, reachBody([target]))).toEqual({ value: [target] });

    const { config } = options();
    const denying = { ...options(), config: { ...config, SLIPWAY_FENCE_DENY: `${PUBLIC}.0/24` } };
    const { revision } = one;
    const driver = new DockerDriver(denying, docker);
    await containerOf(revision, '-host').kill();
    await driver.runtime.launch(revision, 0, []);
    await until('it answers', async () => (await fetch(`${one.url}/ok`)).status === 200);
    expect(await attack(one.url, revision, reachBody([target]))).toEqual({ value: [] });
  });

  async function linesOf({ deployment_id, id }: RevisionRow): Promise<string[]> {
    const filter = { phase: 'deploy', deployment_id, revision_id: id, order: 'asc', limit: 10_000 } as const;
    return (await listLines(options().db, filter)).map(({ message }) => message);
  }
});
