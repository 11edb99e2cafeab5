import type { RevisionRow } from '../revisions/revision.ts';
import type { Secret } from '../secrets/environment.ts';
import type { Ending } from './ending.ts';
import type { InstanceKey, InstanceRow } from './instance-repository.ts';

/**
 * What the instances of one host run in: processes of a machine, or containers of an engine. Whatever one worker has
 * started, any other of the same host can join, watch and end. Every operation may be repeated.
 */
export interface InstanceRuntime {
  /** As control_plane.instance has it. */
  readonly name: 'process' | 'docker';
  /** Where a new instance is going to answer; `port` where it takes one of this host's. */
  newAddress(key: InstanceKey): Promise<{ url: string; port: number | null }>;
  isAlive(instance: InstanceRow): Promise<boolean>;
  /**
   * Starts what runs a replica that has an instance, unless it runs. Nothing runs that no row knows. Throws StartFailed
   * when there is nothing to start; an abort gives up what takes long before.
   */
  launch(revision: RevisionRow, replica: number, environment: Secret[], signal?: AbortSignal): Promise<void>;
  /** Asks it to finish. */
  finish(instance: InstanceRow): Promise<void>;
  /** How it ended that runs no more, and that as a text. */
  ending(revision: RevisionRow, replica: number): Promise<Ending & { text: string }>;
  /**
   * Keeps what it has printed since the last time, each line once; returns how much that was, in any unit. A
   * `log_offset` says how far that is, and may spare a look.
   */
  keepOutput(instance: InstanceKey & { log_offset?: number }): Promise<number>;
  /** Kills what is there, keeps what it said, and forgets it. */
  remove(key: InstanceKey): Promise<void>;
  /** Ends it for a while, in good order where `graceMs` suffices; its row stays for whoever starts it again. */
  suspend?(instance: InstanceRow, graceMs: number): Promise<void>;
  /** Notes how many cores each has used since the last time. */
  measure?(): Promise<void>;
  /** Removes what runs on the host and has no instance any more; returns how much that was. */
  sweep?(): Promise<number>;
}
