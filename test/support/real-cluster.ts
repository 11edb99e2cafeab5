import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { V1Pod } from '@kubernetes/client-node';
import { AGENT } from '../../src/control-plane/drivers/kubernetes/agent-pod.ts';
import { type Cluster, openCluster } from '../../src/control-plane/drivers/kubernetes/cluster.ts';
import * as kinds from '../../src/control-plane/drivers/kubernetes/kinds.ts';
import { ownedBy } from '../../src/control-plane/drivers/kubernetes/object-names.ts';
import type { ClusterUnderTest, OpenClusterOptions } from './cluster-under-test.ts';
import { relay } from './relay.ts';

/** Settings of a real cluster; without a kubeconfig, tests start their own. */
export const VARIABLES = {
  kubeconfig: 'SLIPWAY_TEST_KUBECONFIG',
  image: 'SLIPWAY_TEST_IMAGE',
  host: 'SLIPWAY_TEST_HOST',
  modules: 'SLIPWAY_TEST_MODULES',
} as const;

export const REAL = {
  kubeconfig: process.env[VARIABLES.kubeconfig],
  /** Image of this platform, which nodes have or can pull. */
  image: process.env[VARIABLES.image] ?? 'slipway:latest',
  /** Address of this machine, or of the pod the tests run in, as pods reach it. */
  host: process.env[VARIABLES.host],
  /** Path of the framework in that image; by default the examples' copy. */
  modules: process.env[VARIABLES.modules] ?? '/app/examples/node_modules',
};

const KINDS = {
  deployments: kinds.DEPLOYMENTS,
  replicasets: kinds.REPLICA_SETS,
  pods: kinds.PODS,
  services: kinds.SERVICES,
  secrets: kinds.SECRETS,
  networkpolicies: kinds.NETWORK_POLICIES,
};
// The first process of a container ignores signals without a handler, even this one's, so use its
// debugger, which Node opens on request.
const KILLED = 137;
const KILL = `
  process._debugProcess(1);
  const { WebSocket } = require('/app/node_modules/ws');
  const attach = async () => {
    const [target] = await fetch('http://127.0.0.1:9229/json').then((answer) => answer.json()).catch(() => []);
    if (!target) return void setTimeout(attach, 100);
    const socket = new WebSocket(target.webSocketDebuggerUrl);
    const params = { expression: 'process.reallyExit(${KILLED})' };
    socket.on('open', () => socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params })));
    // It ends once the debugger disconnects.
    setTimeout(() => socket.close(), 500);
  };
  void attach();`;

/** A real cluster. The tests use another platform name, so they touch nothing else in it. */
export async function openRealCluster({
  options,
  platformPort,
}: OpenClusterOptions): Promise<ClusterUnderTest> {
  const { host } = REAL;
  if (!host) throw new Error(`${VARIABLES.host} is missing: the address under which pods reach these tests`);
  const settings = {
    SLIPWAY_KUBECONFIG: REAL.kubeconfig!,
    SLIPWAY_KUBERNETES_IMAGE: REAL.image,
    SLIPWAY_KUBERNETES_PLATFORM_URL: `http://${host}:${platformPort}`,
    SLIPWAY_PLATFORM: `test-${randomUUID()}`,
  };
  const cluster = await openCluster({ ...options.config, ...settings });
  const [databaseUrl, temporal] = [
    new URL(options.databaseUrl),
    new URL(`tcp://${options.temporal.address}`),
  ];
  const relays = await Promise.all(
    [databaseUrl, temporal].map(({ hostname, port }) =>
      relay(host, () => ({ host: hostname, port: Number(port) })),
    ),
  );
  const [postgres, temporalRelay] = relays.map(({ port }) => `${host}:${port}`);
  const selector = (id: string) => ownedBy(settings.SLIPWAY_PLATFORM, id);
  return {
    cluster,
    settings,
    reached(options) {
      const url = new URL(options.databaseUrl);
      url.host = postgres!;
      return { databaseUrl: url.href, temporal: { ...options.temporal, address: temporalRelay! } };
    },
    async namesOf(id) {
      const found = Object.entries(KINDS).map(async ([plural, kind]) =>
        (await cluster.list(kind, selector(id))).items.map(({ metadata }) => `${plural}/${metadata!.name}`),
      );
      return (await Promise.all(found)).flat();
    },
    podsOf: async (id) => (await cluster.list<V1Pod>(kinds.PODS, selector(id))).items,
    crash: (pod) => runIn(cluster, pod, ['node', '-e', KILL]),
    close: async () => void (await Promise.all(relays.map((one) => one.close()))),
  };
}

/** Runs a command in the agent's container, until it or the container ends. */
async function runIn({ kubernetes, kubeConfig, namespace }: Cluster, pod: V1Pod, command: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const exec = new kubernetes.Exec(kubeConfig);
  const socket = await exec.exec(namespace, pod.metadata!.name!, AGENT, command, stdout, stderr, null, false);
  await new Promise((resolve) => socket.on('close', resolve));
  stdout.resume();
  stderr.end();
  const problem = await text(stderr);
  if (problem) throw new Error(`The agent could not be ended: ${problem}`);
}
