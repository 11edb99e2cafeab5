import { setTimeout as sleep } from 'node:timers/promises';
import { insertLines, trimLines } from '../logs/log-repository.ts';
import { findRevision, stepRevision } from '../records/revision-repository.ts';
import type { RevisionRow } from '../records/revision.ts';
import { openEnvironment } from '../secrets/environment.ts';
import type { DriverOptions } from './driver-options.ts';
import type { InstanceDriver } from './instance-driver.ts';
import { HostLock } from './host-lock.ts';
import { listHeardAgain, listOrphans, listSilent } from './instance-health-repository.ts';
import {
  type InstanceRow,
  listInstances,
  noteCrash,
  renewLease,
  startDraining,
} from './instance-repository.ts';
import { drainMsOf } from '../scaling/agent-limits.ts';

const TURN_MS = 1_000;
const LONGEST_WAIT_SECONDS = 60;
// Tolerance after the drain time, within which a draining agent should end by itself.
const LATE_SECONDS = 10;
const MOST_LINES = 50_000;
const TURNS_BETWEEN_TRIMS = 300;
const TURNS_BETWEEN_SWEEPS = 60;
const TURNS_BETWEEN_MEASURES = 5;

/**
 * Supervises the instances of its host: restarts crashed ones, stores their output, stops orphans. One process per host
 * is active at a time; if it dies, another takes over.
 */
export class Supervisor {
  readonly #options: DriverOptions;
  readonly #driver: InstanceDriver;
  readonly #stopping = new AbortController();
  readonly #lock: HostLock;
  #ended: Promise<void> | undefined;
  #turns = 0;

  constructor(options: DriverOptions, driver: InstanceDriver) {
    this.#options = options;
    this.#driver = driver;
    this.#lock = new HostLock(options.db, options.host);
  }

  start(): void {
    this.#ended = this.#loop();
  }

  /** Stops supervising; the instances keep running. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
    this.#lock.release();
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        if (await this.#lock.take()) await this.#turn();
      } catch (error) {
        this.#options.log.warn({ err: error }, 'supervising instances failed');
      }
      await sleep(TURN_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #turn(): Promise<void> {
    const { db, host, log } = this.#options;
    this.#turns++;
    for (const instance of await listInstances(db, { host })) {
      try {
        await this.#supervise(instance);
      } catch (error) {
        log.warn(
          { err: error, revision_id: instance.revision_id, replica: instance.replica },
          'supervising an instance failed',
        );
      }
    }
    for (const { revision_id, replaced } of await listOrphans(db, host)) {
      log.warn({ revision_id }, 'stopping an orphaned instance');
      // Lets it finish its work; later turns complete the drain.
      if (replaced) await startDraining(db, revision_id);
      else await this.#driver.stop(revision_id);
    }
    if (this.#turns % TURNS_BETWEEN_SWEEPS === 1) await this.#driver.runtime.sweep?.();
    if (this.#turns % TURNS_BETWEEN_MEASURES === 0) await this.#driver.runtime.measure?.();
    for (const id of await listSilent(db)) await stepRevision(db, id, 'UNKNOWN', 'its host is silent');
    for (const id of await listHeardAgain(db)) await stepRevision(db, id, 'DEPLOYED', 'its host is back');
  }

  async #supervise(instance: InstanceRow): Promise<void> {
    const { db, config } = this.#options;
    const { state, draining_seconds } = instance;
    const { runtime } = this.#driver;
    const late = state === 'draining' && draining_seconds > drainMsOf(config) / 1000 + LATE_SECONDS;
    if (state === 'stopping' || late) return runtime.remove(instance);
    if (state === 'draining') await this.#driver.requestShutdown(instance);
    const alive = await runtime.isAlive(instance);
    if (alive) await this.#keep(instance);
    else if (state === 'draining') return runtime.remove(instance);
    else if (state === 'running') await this.#revive(instance);
    // A starting instance is watched by its starter.
    await renewLease(db, instance);
  }

  async #keep(instance: InstanceRow): Promise<void> {
    const { db } = this.#options;
    await this.#driver.runtime.keepOutput(instance);
    if (this.#turns % TURNS_BETWEEN_TRIMS === 0) await trimLines(db, instance.revision_id, MOST_LINES);
  }

  async #revive(instance: InstanceRow): Promise<void> {
    const { db, box } = this.#options;
    const revision = await findRevision(db, instance.revision_id);
    if (!revision) return;
    if (!instance.is_crash_noted) return this.#noteCrash(instance, revision);
    if (!instance.restart_due) return;
    const environment = openEnvironment(box, revision.id, revision.environment);
    await this.#driver.runtime.launch(revision, instance.replica, environment);
  }

  async #noteCrash(instance: InstanceRow, revision: RevisionRow): Promise<void> {
    const { db } = this.#options;
    const { runtime } = this.#driver;
    while ((await runtime.keepOutput(instance)) > 0);
    const { reason } = await runtime.ending(revision, instance.replica);
    const crashes = instance.is_settled ? 1 : instance.crashes + 1;
    const waitSeconds = crashes === 1 ? 0 : Math.min(2 ** (crashes - 2), LONGEST_WAIT_SECONDS);
    await noteCrash(db, instance, { crashes, waitSeconds });
    const again = waitSeconds === 0 ? 'now' : `in ${waitSeconds} s`;
    const message = `The agent ended by itself: ${reason}. Restarting it ${again}`;
    await insertLines(db, revision, 'deploy', [{ level: 'error', message, at: Date.now() }]);
  }
}
