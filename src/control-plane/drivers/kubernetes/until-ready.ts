import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import type { LogSink } from '../../log.ts';
import type { ControlPlaneSettings } from '../../control-plane-settings.ts';
import { StartFailed } from '../../errors.ts';
import type { RevisionRow } from '../../records/revision.ts';
import { endingOf, endingText } from '../ending.ts';
import type { Cluster } from './cluster.ts';
import { exhaustedMemory } from './exhausted-memory.ts';
import { DEPLOYMENTS } from './kinds.ts';
import { ownedBy, type Part, partOf } from './object-names.ts';
import type { PodLogs } from './pod-logs.ts';
import { type ContainerEnd, isReady, readyPods, reportPod, UNANSWERED } from './pod-report.ts';
import type { ReadyPod } from './replica-rows.ts';
import { ServingImageWatch } from './serving-image.ts';

export interface ReadyOptions {
  cluster: Cluster;
  config: ControlPlaneSettings;
  revision: RevisionRow;
  /** Those that are being started. */
  parts: Part[];
  replicas: number;
  logs: PodLogs;
  log: LogSink;
}

const STARTS = 3;
const LONGEST = 3;

/**
 * Watches pods until the wanted number of each part is ready and no more exist, and returns those that serve. Throws
 * StartFailed with the reason and their last output, and NoGraphHost.
 */
export async function untilReady(
  watched: AsyncGenerator<V1Pod[]>,
  options: ReadyOptions,
): Promise<ReadyPod[]> {
  const { config, parts, replicas, logs, log } = options;
  const seconds = config.SLIPWAY_DEPLOY_TIMEOUT_SECONDS;
  const logged = new Set<string>();
  const began = Date.now();
  let moved = began;
  let sign = '';
  const image = new ServingImageWatch();
  for await (const all of watched) {
    const pods = all.filter((pod) => parts.some((part) => part === partOf(pod)));
    logs.follow(pods);
    const counts = parts.map((part) => pods.filter((pod) => partOf(pod) === part).length);
    if (counts.every((count) => count === replicas) && pods.every(isReady)) return readyPods(pods);
    if (counts.includes(0)) await failIfRefused(options);
    image.look(pods);
    let why = pods.length === 0 ? 'none of its pods was created' : UNANSWERED;
    for (const pod of pods.filter((one) => !isReady(one))) {
      const { state, reason, ended } = reportPod(pod);
      if (reason !== UNANSWERED) why = reason;
      if (state === 'failed') throw new StartFailed(reason);
      const end = `${pod.metadata!.uid} ${ended?.container} ${ended?.times}`;
      const line = ended ? end : reason;
      if (logged.has(line) || line === UNANSWERED) continue;
      logged.add(line);
      log(ended ? await ending(options, pod, { ...ended, whose: reason }) : reason, 'warn');
    }
    const now = signOfLife(pods, logs);
    if (now !== sign) moved = Date.now();
    sign = now;
    if (Date.now() - moved > seconds * 1000 || Date.now() - began > seconds * 1000 * LONGEST) {
      await logs.sweep(pods);
      throw new StartFailed(`${why || 'it ends'} and has made no progress for ${seconds} s`);
    }
  }
  throw new Error('the pods are no longer watched');
}

/** The log line for a container that ended and restarts. Throws StartFailed if restarting is pointless. */
async function ending(
  { config, revision, logs }: ReadyOptions,
  pod: V1Pod,
  { whose, ...ended }: ContainerEnd & { whose: string },
): Promise<string> {
  const output = await logs.lastLines(pod, ended);
  const megabytes = exhaustedMemory(partOf(pod), ended, revision, config);
  const end = endingOf({ ...ended, megabytes, output });
  if (end.isFinal || ended.times >= STARTS) {
    await logs.sweep([pod]);
    const times = end.isFinal ? '' : `it failed to start ${ended.times} times: `;
    throw new StartFailed(times + whose + endingText(end, []));
  }
  return `The agent ended during startup: ${whose}${end.reason}. Restarting it`;
}

/** Anything that distinguishes a start from a hang; reasons to wait alternate forever and say nothing. */
const signOfLife = (pods: V1Pod[], logs: PodLogs): string =>
  JSON.stringify([
    logs.kept,
    pods.map(({ metadata, status }) => [
      metadata!.uid,
      status?.phase,
      status?.initContainerStatuses?.map(({ state }) => Object.keys(state ?? {})[0]),
      status?.containerStatuses?.map(({ restartCount }) => restartCount),
    ]),
  ]);

/** Throws StartFailed if a quota or another rule of the cluster refuses pods. */
async function failIfRefused({ cluster, config, revision }: ReadyOptions): Promise<void> {
  const selector = ownedBy(config.SLIPWAY_PLATFORM, revision.id);
  const { items } = await cluster.list<V1Deployment>(DEPLOYMENTS, selector);
  const refusal = items
    .flatMap(({ status }) => status?.conditions ?? [])
    .find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  if (refusal) throw new StartFailed(`the cluster refuses its pods: ${refusal.message}`);
}
