import type { RevisionRow } from '../records/revision.ts';
import type { Secret } from '../secrets/environment.ts';
import type { Ending } from './ending.ts';
import type { InstanceKey, InstanceRow } from './instance-repository.ts';

/**
 * Runs the instances of one host: as processes of a machine, or containers of an engine. Any worker of the host can
 * join, watch and stop what another has started. All operations can be repeated.
 */
export interface InstanceRuntime {
  /** Value of control_plane.instance.driver. */
  readonly name: 'process' | 'docker';
  /** Address for a new instance; `port` is set if it uses one of this host's. */
  newAddress(key: InstanceKey): Promise<{ url: string; port: number | null }>;
  isAlive(instance: InstanceRow): Promise<boolean>;
  /**
   * Starts a replica's instance unless it is running. Nothing runs without a row. Throws StartFailed if there is
   * nothing to start; an abort interrupts slow preparations.
   */
  launch(revision: RevisionRow, replica: number, environment: Secret[], signal?: AbortSignal): Promise<void>;
  /** Asks the instance to shut down. */
  finish(instance: InstanceRow): Promise<void>;
  /** How an instance that is no longer running ended, also as one text. */
  ending(revision: RevisionRow, replica: number): Promise<Ending & { text: string }>;
  /**
   * Stores output printed since the last call, each line once; returns the amount, in any unit. A known `log_offset`
   * may save a query.
   */
  keepOutput(instance: InstanceKey & { log_offset?: number }): Promise<number>;
  /** Kills the instance if it runs, stores its output, and removes it. */
  remove(key: InstanceKey): Promise<void>;
  /** Stops it temporarily, gracefully within `graceMs`; keeps its row for the restart. */
  suspend?(instance: InstanceRow, graceMs: number): Promise<void>;
  /** Records each instance's CPU usage since the last call. */
  measure?(): Promise<void>;
  /** Removes whatever runs on the host without an instance; returns the number removed. */
  sweep?(): Promise<number>;
}
