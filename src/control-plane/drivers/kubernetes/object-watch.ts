import type { KubernetesObject, ListWatch } from '@kubernetes/client-node';
import type { Cluster, ObjectName } from './cluster.ts';

const CHANGES = ['add', 'update', 'delete'] as const;
// After a failed request.
const AGAIN_MS = 1_000;

/**
 * Yields all objects of a kind that match a selector: at first, after each change, and after `tickMs` without one.
 * Reconnects to the API server. Runs until its caller ends it; rejects when the signal aborts.
 */
export async function* watchObjects<Kind extends KubernetesObject>(
  cluster: Cluster,
  { apiVersion, kind, plural }: Omit<ObjectName, 'name'> & { plural: string },
  { selector, tickMs, signal }: { selector: string; tickMs: number; signal: AbortSignal },
): AsyncGenerator<Kind[]> {
  const { kubernetes, kubeConfig, namespace } = cluster;
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const informer = kubernetes.makeInformer<Kind>(
    kubeConfig,
    `${root}/namespaces/${namespace}/${plural}`,
    async () => {
      const found = await cluster.list<Kind>({ apiVersion, kind }, selector);
      listed = true;
      return found;
    },
    selector,
  ) as ListWatch<Kind>;
  let listed = false;
  let changed = false;
  let wake = () => {};
  const notify = () => {
    changed = true;
    wake();
  };
  let again: NodeJS.Timeout | undefined;
  let ended = false;
  for (const change of CHANGES) informer.on(change, notify);
  informer.on('error', () => {
    clearTimeout(again);
    // Stopping it emits an error, too.
    if (!ended) again = setTimeout(() => void informer.start(), AGAIN_MS);
  });
  signal.addEventListener('abort', notify);
  try {
    await informer.start();
    for (;;) {
      signal.throwIfAborted();
      changed = false;
      if (listed) yield [...informer.list(namespace)];
      signal.throwIfAborted();
      if (!changed)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, tickMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
    }
  } finally {
    signal.removeEventListener('abort', notify);
    ended = true;
    clearTimeout(again);
    await informer.stop();
  }
}
