import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { agentPort } from '../../src/control-plane/drivers/agent-port.ts';
import { findContainerEngine } from '../../src/platform/embedded/container-engine.ts';
import { spawnGuarded } from '../../src/platform/embedded/guarded-process.ts';
import { installPackage } from './debian-package.ts';
import { until } from './until.ts';
import { makeCertificates } from './engine-certificates.ts';
import { importBaseImage } from './docker-image.ts';

const run = promisify(execFile);
// What its certificate is for.
const ENGINE_NAME = 'engine.slipway.test';

export interface DockerEngine {
  /** In the format of DOCKER_HOST. */
  address: string;
  docker: Docker;
  /** An image with the agent server of this checkout, and the packages that test projects link to. */
  image: string;
  /** For our own engine: its TLS address, and the folder with its client certificates. */
  tls?: { port: number; certificates: string; name: string };
  /** Ends our own engine with everything in it; removes our image from an existing engine. */
  stop(): Promise<void>;
}

/** A real engine, or why there can be none here; tests of the docker driver are skipped for no other reason. */
export async function openDockerEngine(): Promise<DockerEngine | { reason: string }> {
  const address = await findContainerEngine(process.env);
  if (address) return withImage(address, async () => {});
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return { reason: 'no Docker API answers, and only root on Linux can start an engine' };
  try {
    await installPackage('docker.io', 'command -v dockerd');
  } catch (error) {
    return {
      reason: `no Docker API answers, and docker.io cannot be installed: ${(error as Error).message}`,
    };
  }
  const own = await startEngine().catch((error: Error) => ({ reason: error.message }));
  return 'reason' in own ? own : withImage(own.address, own.end, own.tls);
}

async function withImage(
  address: string,
  end: () => Promise<void>,
  tls?: NonNullable<DockerEngine['tls']>,
): Promise<DockerEngine | { reason: string }> {
  const docker = dockerAt(address);
  const image = await importBaseImage(docker).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  const stop = async () => {
    await docker.getImage(image).remove({ force: true });
    // The engine leaves its bridges behind when it ends.
    const networks = await docker.listNetworks({ filters: { label: ['slipway.platform'] } });
    for (const { Id } of networks) await docker.getNetwork(Id).remove();
    await end();
  };
  const trouble = await runsNothing(docker, image);
  if (trouble) {
    await stop();
    return { reason: `a Docker API answers, and its containers do not run: ${trouble}` };
  }
  return { address, docker, image, stop, ...(tls && { tls }) };
}

/** Why no container can run here; some test machines allow an engine but no containers. */
async function runsNothing(docker: Docker, image: string): Promise<string | undefined> {
  const options = { Image: image, Entrypoint: ['/bin/sh'], Cmd: ['-c', 'exit 0'] };
  const container = await docker.createContainer({ ...options, HostConfig: { NetworkMode: 'host' } });
  try {
    await container.start();
    const { StatusCode } = (await container.wait()) as { StatusCode: number };
    return StatusCode === 0 ? undefined : `a shell ends with ${StatusCode}`;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await container.remove({ force: true });
  }
}

function dockerAt(address: string): Docker {
  const { protocol, pathname, hostname, port } = new URL(address);
  return protocol === 'unix:'
    ? new Docker({ socketPath: pathname })
    : new Docker({ host: hostname, port: port || 2375 });
}

/** Our own engine: it uses none of the machine's networks or folders and ends with this process. */
async function startEngine() {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-docker-'));
  const socket = join(dir, 'docker.sock');
  const log = await open(join(dir, 'dockerd.log'), 'a');
  const certificates = join(dir, 'certificates');
  const [files, port] = [await makeCertificates(certificates, ENGINE_NAME), await agentPort()];
  const engine = await spawnGuarded(
    {
      command: 'dockerd',
      args: [
        `--host=unix://${socket}`,
        `--host=tcp://127.0.0.1:${port}`,
        '--tlsverify',
        `--tlscacert=${files.ca}`,
        `--tlscert=${files.serverCert}`,
        `--tlskey=${files.serverKey}`,
        `--data-root=${join(dir, 'data')}`,
        `--exec-root=${join(dir, 'exec')}`,
        `--pidfile=${join(dir, 'dockerd.pid')}`,
        '--bridge=none',
        '--iptables=false',
        '--ip-forward=false',
        '--ip-masq=false',
      ],
      cwd: dir,
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
      log: log.fd,
      signal: 'TERM',
      graceSeconds: 20,
    },
    async () => {},
  );
  await log.close();
  const end = async () => {
    await engine.stop();
    // The engine leaves its network namespace mounted.
    await run('umount', [join(dir, 'exec/netns/default')]).catch(() => {});
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  };
  const address = `unix://${socket}`;
  try {
    await until('the engine answers', async () => !!(await findContainerEngine({ DOCKER_HOST: address })));
  } catch (error) {
    const output = await run('tail', ['-n', '20', join(dir, 'dockerd.log')]);
    await end();
    throw new Error(`dockerd does not come up:\n${output.stdout}`, { cause: error });
  }
  return { address, end, tls: { port, certificates, name: ENGINE_NAME } };
}
