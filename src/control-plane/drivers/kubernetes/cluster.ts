import type * as kubernetes from '@kubernetes/client-node';
import type {
  ApiException,
  KubeConfig,
  KubernetesListObject,
  KubernetesObject,
  KubernetesObjectApi,
} from '@kubernetes/client-node';
import { StartFailed } from '../../errors.ts';
import { MANAGER } from './object-names.ts';

type Kubernetes = typeof kubernetes;

export interface ObjectName {
  apiVersion: string;
  kind: string;
  name: string;
}

const ANSWER_MS = 30_000;
const NOT_FOUND = 404;
const CONFLICT = 409;
// Retrying does not help: forbidden, too large, invalid.
const REFUSED = [400, 403, 413, 422];

/** A namespace of a Kubernetes cluster, reached with a kubeconfig or this pod's service account. */
export class Cluster {
  readonly kubernetes: Kubernetes;
  readonly kubeConfig: KubeConfig;
  readonly namespace: string;
  readonly #objects: KubernetesObjectApi;

  constructor(kubernetes: Kubernetes, kubeConfig: KubeConfig, namespace: string) {
    this.kubernetes = kubernetes;
    this.kubeConfig = kubeConfig;
    this.namespace = namespace;
    this.#objects = kubernetes.KubernetesObjectApi.makeApiClient(kubeConfig);
  }

  /** Creates or replaces an object by server-side apply. Throws StartFailed if it is refused. */
  async apply<Kind extends KubernetesObject>(object: Kind): Promise<Kind> {
    const { kubernetes } = this;
    const whole = structuredClone(object);
    whole.metadata = Object.assign(whole.metadata ?? {}, { namespace: this.namespace });
    try {
      return (await inTime(
        this.#objects.patch(
          whole as Parameters<KubernetesObjectApi['patch']>[0],
          undefined,
          undefined,
          MANAGER,
          true,
          kubernetes.PatchStrategy.ServerSideApply,
        ),
      )) as Kind;
    } catch (error) {
      const { code, message } = statusOf(error) ?? {};
      if (code === undefined || !REFUSED.includes(code)) throw error;
      throw new StartFailed(`the cluster refuses its ${object.kind}: ${message}`);
    }
  }

  /** Changes fields of an object; false if it does not exist. */
  async change(
    name: ObjectName,
    { spec, annotations }: { spec?: object; annotations?: Record<string, string> },
  ): Promise<boolean> {
    const { kubernetes } = this;
    const { metadata, ...kind } = this.#named(name);
    const part = { ...kind, metadata: { ...metadata, ...(annotations && { annotations }) } };
    try {
      await inTime(
        this.#objects.patch(
          { ...part, ...(spec && { spec }) },
          undefined,
          undefined,
          MANAGER,
          undefined,
          kubernetes.PatchStrategy.MergePatch,
        ),
      );
      return true;
    } catch (error) {
      if (statusOf(error)?.code === NOT_FOUND) return false;
      throw error;
    }
  }

  async list<Kind extends KubernetesObject>(
    { apiVersion, kind }: Omit<ObjectName, 'name'>,
    labelSelector: string,
  ): Promise<KubernetesListObject<Kind>> {
    const asked = this.#objects.list(
      apiVersion,
      kind,
      this.namespace,
      undefined,
      undefined,
      undefined,
      undefined,
      labelSelector,
    );
    return (await inTime(asked)) as KubernetesListObject<Kind>;
  }

  /** Deletes an object and its dependents, if it exists. */
  async remove(name: ObjectName, { graceSeconds }: { graceSeconds?: number } = {}): Promise<void> {
    try {
      await inTime(
        this.#objects.delete(this.#named(name), undefined, undefined, graceSeconds, undefined, 'Background'),
      );
    } catch (error) {
      if (![NOT_FOUND, CONFLICT].includes(statusOf(error)?.code ?? 0)) throw error;
    }
  }

  #named({ apiVersion, kind, name }: ObjectName) {
    return { apiVersion, kind, metadata: { name, namespace: this.namespace } };
  }
}

/** Connects to the configured cluster. The library is large, so only this loads it. */
export async function openCluster(settings: {
  SLIPWAY_KUBECONFIG?: string;
  SLIPWAY_KUBERNETES_NAMESPACE: string;
}): Promise<Cluster> {
  const kubernetes = await import('@kubernetes/client-node');
  const kubeConfig = new kubernetes.KubeConfig();
  if (settings.SLIPWAY_KUBECONFIG) kubeConfig.loadFromFile(settings.SLIPWAY_KUBECONFIG);
  else kubeConfig.loadFromDefault();
  return new Cluster(kubernetes, kubeConfig, settings.SLIPWAY_KUBERNETES_NAMESPACE);
}

/** The library has no timeout. */
function inTime<T>(asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the API server does not answer')), ANSWER_MS);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}

/** The API server's answer; undefined if there was none. */
export function statusOf(error: unknown): { code: number; message: string } | undefined {
  const { code, body } = error as Partial<ApiException<unknown>>;
  if (typeof code !== 'number') return undefined;
  return { code, message: messageOf(body) };
}

function messageOf(body: unknown): string {
  try {
    const status = (typeof body === 'string' ? JSON.parse(body) : body) as { message?: string };
    return status.message ?? '';
  } catch {
    return String(body);
  }
}
