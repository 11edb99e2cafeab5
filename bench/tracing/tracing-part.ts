import type { Database } from '../../src/platform/db/database.ts';
import type { Part as PartOf } from '../parts.ts';
import type { Sender } from './load.ts';

/** The measured platform, which has just started, and its database. */
export interface Tracing {
  sender: Sender;
  db: Database;
}

export type Part = PartOf<Tracing>;
