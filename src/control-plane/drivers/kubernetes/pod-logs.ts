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
// Time to read the rest of a deleted pod's log.
const LAST_MS = 10_000;
const MOST_AT_ONCE = 1_000;

interface Following {
  controller: AbortController;
  ended: Promise<void>;
  /** Restarts of the agent when its log was last opened. */
  restarts: number;
  /** Its pod is gone: nothing follows what is being read. */
  isLast: boolean;
}

/** Copies the logs of agents' pods into the platform's, each line once, even from several processes. */
export class PodLogs {
  readonly #cluster: Cluster;
  readonly #db: Database;
  readonly #following = new Map<string, Following>();
  /** Lines stored since the start: a sign of life. */
  kept = 0;

  constructor(cluster: Cluster, db: Database) {
    this.#cluster = cluster;
    this.#db = db;
  }

  /** Follows only these pods from now on. */
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

  /** Stores the rest of the pods' output so far. */
  async sweep(pods: V1Pod[]): Promise<void> {
    for (const pod of pods)
      for (const previous of [true, false])
        await this.#keep(pod, aboutOf(pod), { previous }, AbortSignal.timeout(LAST_MS)).catch(() => {});
  }

  /** Stops following. Reads the logs of deleted pods to their end. */
  async close(): Promise<void> {
    const following = [...this.#following.values()];
    for (const { isLast, controller } of following) if (!isLast) controller.abort();
    await Promise.all(following.map(({ ended }) => ended));
  }

  /** The last lines of a container's output. */
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
      // It has no output, or is gone.
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
        // The last lines of its previous run may not be stored yet.
        if (following.restarts > 0) await this.#keep(pod, about, { previous: true }, signal);
        await this.#keep(pod, about, { follow: true }, signal);
      } catch {
        // The pod is gone, or the API server or the database is down: retried while the pod is followed.
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
      // The next batch collects while one is written.
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

/** The API server only takes whole seconds; timestamps identify lines that are stored already. */
const since = (ms: number) => ({ sinceTime: `${new Date(ms).toISOString().slice(0, 19)}Z` });
