import type { KubernetesObject } from '@kubernetes/client-node';
import type { Queryable } from '../../../platform/db/database.ts';
import { type InstanceRow, noteUsage } from '../instance-repository.ts';
import { AGENT } from './agent-pod.ts';
import { type Cluster, statusOf } from './cluster.ts';
import { POD_METRICS } from './kinds.ts';

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
 * Notes what the agents of pods use, as the cluster's metrics server tells it. Returns false where there is none, or
 * where it may not be asked.
 */
export async function notePodUsage(
  { cluster, db }: { cluster: Cluster; db: Queryable },
  selector: string,
  instances: InstanceRow[],
): Promise<boolean> {
  const found = await cluster.list<PodMetrics>(POD_METRICS, selector).catch((error: unknown) => {
    // Also what answers for metrics while the server behind it is away.
    if (statusOf(error)) return undefined;
    throw error;
  });
  if (!found) return false;
  const byPod = new Map(found.items.map((pod) => [pod.metadata?.name, pod]));
  const noted = instances.flatMap((instance) => {
    const pod = instance.identity === null ? undefined : byPod.get(instance.identity);
    const usage = pod?.containers.find(({ name }) => name === AGENT)?.usage;
    return usage
      ? [{ ...instance, cores: readQuantity(usage.cpu), megabytes: readQuantity(usage.memory) / MB }]
      : [];
  });
  if (noted.length > 0) await noteUsage(db, noted);
  return true;
}

/** A quantity of Kubernetes, such as `250m` or `64Mi`; 0 for what is none. */
function readQuantity(text: string): number {
  const [, number, suffix] = /^([\d.]+(?:e[+-]?\d+)?)([a-zA-Z]*)$/.exec(text) ?? [];
  const factor = suffix ? FACTORS[suffix] : 1;
  return Number(number ?? 0) * (factor ?? 0);
}
