import type { V1Deployment, V1Pod } from '@kubernetes/client-node';
import type { LogSink } from '../../builds/builder.ts';
import type { ControlPlaneSettings } from '../../control-plane-settings.ts';
import { StartFailed } from '../../errors.ts';
import type { RevisionRow } from '../../revisions/revision.ts';
import { memoryOf } from '../agent-limits.ts';
import { endingOf, endingText } from '../ending.ts';
import type { Cluster } from './cluster.ts';
import { DEPLOYMENTS } from './kinds.ts';
import { ownedBy } from './object-names.ts';
import type { PodLogs } from './pod-logs.ts';
import { type ContainerEnd, readyPods, reportPod } from './pod-report.ts';
import type { ReadyPod } from './replica-rows.ts';

export interface ReadyOptions {
  cluster: Cluster;
  config: ControlPlaneSettings;
  revision: RevisionRow;
  replicas: number;
  logs: PodLogs;
  log: LogSink;
}

const STARTS = 3;
const LONGEST = 3;
const USUAL = ['it does not answer', 'it answers'];

/**
 * Watches pods until as many as wanted are ready and no more are there, and returns them. Throws StartFailed with what a
 * person needs to know: why they are not, and what they said last.
 */
export async function untilReady(
  watched: AsyncGenerator<V1Pod[]>,
  options: ReadyOptions,
): Promise<ReadyPod[]> {
  const { config, replicas, logs, log } = options;
  const seconds = config.SLIPWAY_DEPLOY_TIMEOUT_SECONDS;
  const said = new Set<string>();
  const began = Date.now();
  let moved = began;
  let sign = '';
  for await (const pods of watched) {
    logs.follow(pods);
    const ready = readyPods(pods);
    if (ready.length === replicas && pods.length === replicas) return ready;
    if (pods.length === 0) await failIfRefused(options);
    let why = 'no pod of it was made';
    for (const pod of pods) {
      const { state, reason, ended } = reportPod(pod);
      if (state !== 'ready') why = reason;
      if (state === 'failed') throw new StartFailed(reason);
      const end = `${pod.metadata!.uid} ${ended?.container} ${ended?.times}`;
      const line = ended ? end : reason;
      if (said.has(line) || USUAL.includes(line)) continue;
      said.add(line);
      log(ended ? await ending(options, pod, { ...ended, whose: reason }) : reason, 'warn');
    }
    const now = signOfLife(pods, logs);
    if (now !== sign) moved = Date.now();
    sign = now;
    if (Date.now() - moved > seconds * 1000 || Date.now() - began > seconds * 1000 * LONGEST) {
      await logs.sweep(pods);
      throw new StartFailed(`${why || 'it ends'}, and has shown no progress for ${seconds} s`);
    }
  }
  throw new Error('the pods are not watched any more');
}

/** What to tell of a container that ended and is started again. Throws StartFailed where that is not worth it. */
async function ending(
  { config, revision, logs }: ReadyOptions,
  pod: V1Pod,
  { whose, ...ended }: ContainerEnd & { whose: string },
): Promise<string> {
  const output = await logs.lastLines(pod, ended);
  const end = endingOf({ ...ended, megabytes: memoryOf(revision, config), output });
  if (end.isFinal || ended.times >= STARTS) {
    await logs.sweep([pod]);
    const times = end.isFinal ? '' : `started ${ended.times} times, each time `;
    throw new StartFailed(times + whose + endingText(end, []));
  }
  return `The agent ended while it started: ${whose}${end.reason}. It is started again`;
}

/** Anything that tells one that starts from one that hangs; reasons to wait alternate for ever, and tell nothing. */
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

/** A quota, or a rule of the cluster, that lets no pod be made. */
async function failIfRefused({ cluster, config, revision }: ReadyOptions): Promise<void> {
  const selector = ownedBy(config.SLIPWAY_PLATFORM, revision.id);
  const { items } = await cluster.list<V1Deployment>(DEPLOYMENTS, selector);
  const refusal = items[0]?.status?.conditions?.find(
    ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
  );
  if (refusal) throw new StartFailed(`the cluster refuses its pods: ${refusal.message}`);
}
