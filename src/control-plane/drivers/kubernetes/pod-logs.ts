import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import type { Database } from '../../../platform/db/database.ts';
import { readLine } from '../output-lines.ts';
import { READ_LINES } from '../ending.ts';
import { AGENT } from './agent-pod.ts';
import type { Cluster } from './cluster.ts';
import { type LogQuery, readLog } from './log-stream.ts';
import { LABELS } from './object-names.ts';
import { keepLines, lastKept } from './pod-log-repository.ts';
import { type StampedLine, StampedLines } from './stamped-lines.ts';

const AGAIN_MS = 250;
// What the log of a pod that is gone still holds is read in that time.
const LAST_MS = 10_000;
const MOST_AT_ONCE = 1_000;

interface Following {
  controller: AbortController;
  ended: Promise<void>;
  /** Ends of the agent when its log was last opened. */
  restarts: number;
  /** Its pod is no more: what is being read is the last. */
  isLast: boolean;
}

/** Follows the logs of agents' pods into the platform's, each line once, by however many processes. */
export class PodLogs {
  readonly #cluster: Cluster;
  readonly #db: Database;
  readonly #following = new Map<string, Following>();
  /** Lines kept since the start: a sign of life. */
  kept = 0;

  constructor(cluster: Cluster, db: Database) {
    this.#cluster = cluster;
    this.#db = db;
  }

  /** Follows these pods, and no others from now on. */
  follow(pods: V1Pod[]): void {
    for (const pod of pods) {
      const { uid } = pod.metadata!;
      const status = pod.status?.containerStatuses?.find(({ name }) => name === AGENT);
      const hasRun = status && (status.restartCount > 0 || status.state?.running || status.state?.terminated);
      if (!hasRun) continue;
      const known = this.#following.get(uid!);
      if (known) known.restarts = status.restartCount;
      else this.#begin(pod, status.restartCount);
    }
    const there = new Set(pods.map(({ metadata }) => metadata!.uid));
    for (const [uid, following] of this.#following) if (!there.has(uid)) this.#finish(following);
  }

  /** Keeps what pods have said so far, whatever of it was not read yet. */
  async sweep(pods: V1Pod[]): Promise<void> {
    for (const pod of pods)
      for (const previous of [true, false])
        await this.#keep(pod, aboutOf(pod), { previous }, AbortSignal.timeout(LAST_MS)).catch(() => {});
  }

  /** Follows no longer. Of pods that are gone, what was on its way is kept. */
  async close(): Promise<void> {
    const following = [...this.#following.values()];
    for (const { isLast, controller } of following) if (!isLast) controller.abort();
    await Promise.all(following.map(({ ended }) => ended));
  }

  /** The last lines a container said. */
  async lastLines(
    pod: V1Pod,
    { container, previous }: Pick<LogQuery, 'container'> & { previous: boolean },
  ): Promise<string[]> {
    const lines: string[] = [];
    const query = { container, previous, tailLines: READ_LINES };
    try {
      for await (const line of readLog(this.#cluster, nameOf(pod), query, AbortSignal.timeout(LAST_MS)))
        lines.push(line);
    } catch {
      // It may not have said anything, or be gone.
    }
    return lines.map((line) => readLine(line, 0).message);
  }

  #begin(pod: V1Pod, restarts: number): void {
    const uid = pod.metadata!.uid!;
    const controller = new AbortController();
    const following: Following = { controller, restarts, isLast: false, ended: Promise.resolve() };
    this.#following.set(uid, following);
    following.ended = this.#followPod(pod, following).finally(() => this.#following.delete(uid));
  }

  #finish(following: Following): void {
    if (following.isLast) return;
    following.isLast = true;
    setTimeout(() => following.controller.abort(), LAST_MS).unref();
  }

  async #followPod(pod: V1Pod, following: Following): Promise<void> {
    const { signal } = following.controller;
    const about = aboutOf(pod);
    while (!signal.aborted && !following.isLast) {
      try {
        // A container that was started again: what its run before said last may be nowhere yet.
        if (following.restarts > 0) await this.#keep(pod, about, { previous: true }, signal);
        await this.#keep(pod, about, { follow: true }, signal);
      } catch {
        // A pod that is gone, an API server or a database that is away: as long as it is wanted, it is tried again.
      }
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #keep(
    pod: V1Pod,
    about: Parameters<typeof keepLines>[1],
    which: Pick<LogQuery, 'previous' | 'follow'>,
    signal: AbortSignal,
  ): Promise<void> {
    const from = await lastKept(this.#db, about.pod_uid);
    const stamps = new StampedLines();
    let held: StampedLine[] = [];
    let writing: Promise<void> | undefined;
    const write = async () => {
      while (held.length > 0) {
        const lines = held.splice(0, MOST_AT_ONCE);
        this.kept += await keepLines(this.#db, about, lines);
      }
    };
    const reading = { ...which, container: AGENT, timestamps: true, ...(from > 0 && since(from)) };
    let failed: unknown;
    for await (const line of readLog(this.#cluster, nameOf(pod), reading, signal)) {
      held.push(stamps.read(line));
      // While one batch is written, the next gathers.
      writing ??= write()
        .catch((error: unknown) => (failed = error))
        .finally(() => (writing = undefined)) as Promise<void>;
      if (held.length >= MOST_AT_ONCE) await writing;
      if (failed) throw failed;
    }
    await writing;
    if (!failed) await write();
  }
}

const nameOf = ({ metadata }: V1Pod): string => metadata!.name!;
const aboutOf = ({ metadata }: V1Pod) => ({
  pod_uid: metadata!.uid!,
  revision: {
    id: metadata!.labels![LABELS.revision]!,
    deployment_id: metadata!.labels![LABELS.deployment]!,
  },
});

/** Whole seconds: the API server knows no others, and what was kept already is told by its timestamp. */
const since = (ms: number) => ({ sinceTime: `${new Date(ms).toISOString().slice(0, 19)}Z` });
