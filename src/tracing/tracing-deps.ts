import type { Client } from '@temporalio/client';
import type { Context } from 'koa';
import type { Logger } from 'pino';
import type { Database } from '../platform/db/database.ts';
import type { Masks } from './masking/masks.ts';
import type { TracingSettings } from './tracing-settings.ts';

/** Who asks, as whoever checks credentials found out. */
export interface Caller {
  tenant_id: string;
  /** Name of the key or of the user, for the record. */
  name: string;
  /** False for one that may only read, or only log. */
  writes: boolean;
  /** False for one that may log runs and nothing else. */
  reads: boolean;
}

/** What every part of tracing works with; built once in src/bin and passed in. */
export interface TracingDeps {
  config: TracingSettings & { SLIPWAY_TEMPORAL_DEADLINE_SECONDS: number };
  log: Logger;
  db: Database;
  temporal: Client;
  /** Where workers of the platform take work. */
  taskQueue: string;
  /** What is masked in runs before they are stored. */
  masks: Masks;
  /** Throws a PublicError with 401 or 403. */
  authenticate(ctx: Context): Promise<Caller>;
  /** Seals what must not be read from a database dump; `about` is bound to it. */
  box: { sealBytes(bytes: Buffer, about: string): Buffer; openBytes(sealed: Buffer, about: string): Buffer };
}
