import type { KubernetesObject } from '@kubernetes/client-node';
import type { Queryable } from '../../../platform/db/database.ts';
import { type InstanceRow, noteUsage } from '../instance-repository.ts';
import { AGENT } from './agent-pod.ts';
import { revisionOf } from './cluster-drift.ts';
import { type Cluster, statusOf } from './cluster.ts';
import { POD_METRICS } from './kinds.ts';
import { partOf } from './object-names.ts';

interface PodMetrics extends KubernetesObject {
  containers: { name: string; usage: { cpu: string; memory: string } }[];
}

const MB = 1_048_576;
const FACTORS: Record<string, number> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/**
 * Notes what replicas use according to the cluster's metrics server: the CPU time of server and graph host, and the memory
 * of the graph host, which `memory_limit_mb` limits. Returns false without a metrics server, or without access to it.
 */
export async function notePodUsage(
  { cluster, db }: { cluster: Cluster; db: Queryable },
  selector: string,
  instances: InstanceRow[],
): Promise<boolean> {
  const found = await cluster.list<PodMetrics>(POD_METRICS, selector).catch((error: unknown) => {
    // Also while the metrics server is down.
    if (statusOf(error)) return undefined;
    throw error;
  });
  if (!found) return false;
  const noted = instances.flatMap((instance) => {
    const own = found.items.find(({ metadata }) => metadata?.name === instance.identity);
    const server = own && usageOf(own);
    if (!server) return [];
    if (partOf(own) !== 'server') return [{ ...instance, ...server }];
    // Any host will do, as long as each counts once: servers don't say which one they have.
    const hosts = found.items.filter(
      (pod) => partOf(pod) === 'host' && revisionOf(pod) === instance.revision_id,
    );
    const host = hosts[instance.replica] && usageOf(hosts[instance.replica]!);
    return host ? [{ ...instance, cores: server.cores + host.cores, megabytes: host.megabytes }] : [];
  });
  if (noted.length > 0) await noteUsage(db, noted);
  return true;
}

function usageOf({ containers }: PodMetrics): { cores: number; megabytes: number } | undefined {
  const usage = containers.find(({ name }) => name === AGENT)?.usage;
  return usage && { cores: readQuantity(usage.cpu), megabytes: readQuantity(usage.memory) / MB };
}

/** A quantity of Kubernetes, such as `250m` or `64Mi`; 0 for anything else. */
function readQuantity(text: string): number {
  const [, number, suffix] = /^([\d.]+(?:e[+-]?\d+)?)([a-zA-Z]*)$/.exec(text) ?? [];
  const factor = suffix ? FACTORS[suffix] : 1;
  return Number(number ?? 0) * (factor ?? 0);
}
