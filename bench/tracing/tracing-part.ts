import type { Database } from '../../src/platform/db/database.ts';
import type { Goal, Measured } from '../scenario.ts';
import type { Sender } from './load.ts';

/** What is measured: a platform that has just been started, and its database. */
export interface Tracing {
  sender: Sender;
  db: Database;
}

export interface Part {
  goals: Goal[];
  /** What must be there first, and is no part of the figures. */
  prepare?(tracing: Tracing): Promise<unknown>;
  measure(tracing: Tracing): Promise<Measured>;
}
