import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import { originOf } from '../../../platform/network-address.ts';
import { AGENT, PORT } from './agent-pod.ts';
import { FETCH } from './fetch-container.ts';
import { isServing } from './object-names.ts';
import type { ReadyPod } from './replica-rows.ts';

/** How a container of a pod last ended. */
export interface ContainerEnd {
  container: string;
  /** Its log is that of the previous run. */
  previous: boolean;
  /** How often it has ended since the pod was created. */
  times: number;
  code: number;
  ranOut: boolean;
}

/** The state of a starting pod, in words for the person who deployed it. */
export interface PodReport {
  /** `failed` if it can't become ready without a change. */
  state: 'waiting' | 'failed';
  reason: string;
  ended?: ContainerEnd;
}

// Waiting does not help.
const HOPELESS = ['InvalidImageName', 'CreateContainerConfigError', 'ErrImageNeverPull'];
const PULL = ['ErrImagePull', 'ImagePullBackOff', 'RegistryUnavailable'];
const NEVER_PULLED = /not found|manifest unknown|unauthorized|denied|forbidden|no such/i;

/** The usual reason while a pod starts. */
export const UNANSWERED = 'it does not respond';

/** Reads the status of a pod that isn't ready. A failed pull may be temporary: only some reasons are final. */
export function reportPod({ status }: V1Pod): PodReport {
  for (const container of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
    const report = reportWaiting(container);
    if (report) return report;
    const ended = endOf(container);
    if (ended && (ended.container === AGENT || ended.code !== 0))
      return { state: 'waiting', reason: whose(container.name), ended };
  }
  const unplaced = status?.conditions?.find(
    ({ type, status, reason }) => type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable',
  );
  if (unplaced)
    return { state: 'waiting', reason: `there is no place in the cluster for it: ${unplaced.message}` };
  return { state: 'waiting', reason: UNANSWERED };
}

/** The pods that serve the API and are ready, with their addresses. */
export const readyPods = (pods: V1Pod[]): ReadyPod[] =>
  pods
    .filter((pod) => isServing(pod) && isReady(pod))
    .map(({ metadata, status }) => {
      const ip = status!.podIP!;
      return { name: metadata!.name!, url: originOf(ip, PORT) };
    });

export const isReady = ({ metadata, status }: V1Pod): boolean =>
  !metadata?.deletionTimestamp &&
  (status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');

export function endOf({ name, state, lastState, restartCount }: V1ContainerStatus): ContainerEnd | undefined {
  const ended = state?.terminated ?? lastState?.terminated;
  if (!ended) return undefined;
  return {
    container: name,
    previous: !state?.terminated,
    times: restartCount + (state?.terminated ? 1 : 0),
    code: ended.exitCode,
    ranOut: ended.reason === 'OOMKilled',
  };
}

function reportWaiting({ state }: V1ContainerStatus): PodReport | undefined {
  const { reason, message } = state?.waiting ?? {};
  if (!reason) return undefined;
  const detail = message ?? reason;
  if (HOPELESS.includes(reason)) return { state: 'failed', reason: `it cannot be created: ${detail}` };
  if (!PULL.includes(reason)) return undefined;
  const outlook = NEVER_PULLED.test(detail) ? 'failed' : 'waiting';
  return { state: outlook, reason: `its image cannot be pulled: ${detail}` };
}

/** Names the container, unless it is the agent's. */
const whose = (container: string): string => {
  if (container === AGENT) return '';
  return container === FETCH ? 'its build could not be fetched: ' : `container ${container}: `;
};
