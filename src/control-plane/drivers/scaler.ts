import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../platform/db/database.ts';
import type { Notifications, Subscription } from '../../platform/db/notifications.ts';
import type { Driver } from './driver.ts';
import { insertLines } from '../logs/log-repository.ts';
import {
  claimScale,
  listUnreached,
  postponeScale,
  releaseClaim,
  renewClaim,
  type ScaleTask,
} from '../scaling/scale-claim-repository.ts';
import { DRIFTED, noteReconciled } from '../scaling/drift-repository.ts';
import { SCALE_CHANNEL, wakeDue } from '../scaling/scale-repository.ts';

export interface ScalerOptions {
  db: Database;
  log: Logger;
  driver: Driver;
  notifications: Notifications;
}

const TURN_MS = 1_000;
const RENEW_MS = 3_000;

/**
 * Brings revisions to their wanted number of replicas. Every worker runs one: it reacts to notifications and polls
 * each second for unclaimed revisions. A claim gives each revision to one worker; if it dies, another continues.
 */
export class Scaler {
  readonly #options: ScalerOptions;
  readonly #stopping = new AbortController();
  readonly #underway = new Map<string, { again: AbortController; ended: Promise<void> }>();
  #subscription: Subscription | undefined;
  #ended: Promise<void> | undefined;

  constructor(options: ScalerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#subscription = this.#options.notifications.subscribe(SCALE_CHANNEL, {
      onPayload: (id) => this.#reconcile(id),
      // The next poll finds what was missed.
      onReset: () => {},
    });
    this.#ended = this.#loop();
  }

  /** Leaves work in progress to another worker. */
  async stop(): Promise<void> {
    this.#subscription?.close();
    this.#stopping.abort();
    await this.#ended;
    await Promise.all(Array.from(this.#underway.values(), ({ ended }) => ended));
  }

  async #loop(): Promise<void> {
    const { db, log } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await wakeDue(db);
        for (const id of await listUnreached(db)) this.#reconcile(id);
      } catch (error) {
        log.warn({ err: error }, 'could not check replicas');
      }
      await sleep(TURN_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** Aborts work towards an outdated number. */
  #reconcile(id: string): void {
    const underway = this.#underway.get(id);
    if (underway) return underway.again.abort();
    if (this.#stopping.signal.aborted) return;
    const again = new AbortController();
    this.#underway.set(id, { again, ended: this.#scale(id) });
  }

  async #scale(id: string): Promise<void> {
    const { db, log } = this.#options;
    try {
      while (!this.#stopping.signal.aborted) {
        const task = await claimScale(db, id);
        if (!task) return;
        await this.#perform(task);
      }
    } catch (error) {
      log.warn({ err: error, revision_id: id }, 'could not scale a revision; will retry');
      await postponeScale(db, id).catch(() => {});
    } finally {
      this.#underway.delete(id);
    }
  }

  /** Throws the driver's errors, unless aborted for a new number or a shutdown. */
  async #perform(task: ScaleTask): Promise<void> {
    const { db, driver } = this.#options;
    const { revision_id: id, deployment_id, replicas, reached } = task;
    const again = new AbortController();
    this.#underway.get(id)!.again = again;
    const signal = AbortSignal.any([this.#stopping.signal, again.signal]);
    const beat = setInterval(() => void renewClaim(db, id).catch(() => {}), RENEW_MS);
    try {
      await insertLines(db, { id, deployment_id }, 'deploy', [
        { level: 'info', message: announce(reached, replicas), at: Date.now() },
      ]);
      await driver.scale(id, replicas, { signal });
      await noteReconciled(db, id);
      await releaseClaim(db, id, replicas);
    } catch (error) {
      if (!signal.aborted) throw error;
      await releaseClaim(db, id);
    } finally {
      clearInterval(beat);
    }
  }
}

function announce(from: number, to: number): string {
  if (from === DRIFTED) return `What runs differs from what should run: restoring ${to} replicas`;
  if (to === 0) return 'No requests: going to sleep';
  return from === 0 ? 'Waking up' : `Scaling from ${from} to ${to} replicas`;
}
