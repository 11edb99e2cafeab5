import type Docker from 'dockerode';
import type { Container } from 'dockerode';
import type { Finding } from '../../../platform/embedded/doctor.ts';
import { readSettings } from '../../../platform/settings.ts';
import { ControlPlaneSettings } from '../../control-plane-settings.ts';
import { destination, machineAddresses } from '../../fence/destinations.ts';
import { type Services, serviceAddresses } from '../../fence/service-addresses.ts';
import { openTrialPorts } from '../../fence/trial.ts';
import { ContainerFence } from './container-fence.ts';
import { networkHolder } from './container-spec.ts';
import { openEngine } from './docker-engine.ts';
import { ensureHostsNetwork, removeHostsNetwork } from './hosts-network.ts';
import { hostsNetwork } from './replica-names.ts';
import { runOnce } from './run-once.ts';

const METADATA = '169.254.169.254';
// Reserved for documentation: no one answers there, and no fence refuses it.
const PUBLIC = '192.0.2.1';
const HTTPS_PORT = 443;
const HTTP_PORT = 80;
const REFUSED = 'ECONNREFUSED';
const CONNECTED = 'connected';

type Target = [host: string, port: number];

/** Whether containers of graph hosts are fenced, found out by trying. */
export async function checkContainerFence(env: NodeJS.ProcessEnv): Promise<Finding> {
  const name = 'container fence';
  try {
    const settings = readSettings(ControlPlaneSettings, env);
    await tryContainerFence(await openEngine(settings), { ...env, ...settings });
    return { name, ok: true, detail: 'containers of graph hosts reach the Internet alone' };
  } catch (error) {
    const detail = (error as Error).message.split('\n')[0]!;
    return { name, ok: false, detail, turns_off: 'deployments with the docker driver' };
  }
}

async function tryContainerFence(docker: Docker, settings: ControlPlaneSettings & Services): Promise<void> {
  const base = settings.SLIPWAY_DOCKER_BASE_IMAGE;
  const platform = `doctor-${process.pid}`;
  const { open, closed, close } = await openTrialPorts();
  let holder: Container | undefined;
  try {
    await ensureHostsNetwork(docker, platform);
    holder = await docker.createContainer(networkHolder(base, hostsNetwork(platform)));
    await holder.start();
    const addresses = machineAddresses();
    const services = await serviceAddresses(settings);
    const [own] = addresses;
    const allowed: Target[] = [[PUBLIC, HTTPS_PORT], ...(own ? [[own, open] as Target] : [])];
    const refused: Target[] = [
      ...addresses.map((host): Target => [host, closed]),
      ...services.map(({ network, port }): Target => [network.split('/')[0]!, port!]),
      [METADATA, HTTP_PORT],
    ];
    const allow = own ? [destination(own, open)] : [];
    await new ContainerFence(docker, base, settings).close(holder.id, { allow, inbound: [] });
    const { code, output } = await runOnce(docker, {
      Image: base,
      Cmd: ['reach', JSON.stringify([...allowed, ...refused])],
      HostConfig: { NetworkMode: `container:${holder.id}` },
    });
    if (code !== 0) throw new Error(`the trial did not run: ${output}`);
    judge(JSON.parse(output) as string[], allowed, refused);
  } finally {
    close();
    await holder?.remove({ force: true, v: true });
    await removeHostsNetwork(docker, platform);
  }
}

function judge(outcomes: string[], allowed: Target[], refused: Target[]): void {
  allowed.forEach(([host, port], index) => {
    if (outcomes[index] === REFUSED) throw new Error(`the fence refuses ${host}:${port}, which is allowed`);
  });
  const leak = refused.find((_target, index) => outcomes[allowed.length + index] === CONNECTED);
  if (leak) throw new Error(`containers of graph hosts reach ${leak.join(':')}`);
}
