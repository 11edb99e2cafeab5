import type { Client } from '@temporalio/client';
import type { Context } from 'koa';
import type { Logger } from 'pino';
import type { Database } from '../platform/db/database.ts';
import type { Masks } from './masking/masks.ts';
import type { TracingSettings } from './tracing-settings.ts';

/** The authenticated caller. */
export interface Caller {
  tenant_id: string;
  /** Name of the key or user, for audit records. */
  name: string;
  /** False for read-only and log-only keys. */
  writes: boolean;
  /** False for log-only keys. */
  reads: boolean;
}

/** Dependencies of all tracing code, built once in src/bin. */
export interface TracingDeps {
  config: TracingSettings & { SLIPWAY_TEMPORAL_DEADLINE_SECONDS: number };
  log: Logger;
  db: Database;
  temporal: Client;
  /** Task queue of the platform's workers. */
  taskQueue: string;
  /** Masks applied to runs before they are stored. */
  masks: Masks;
  /** Throws a PublicError with 401 or 403. */
  authenticate(ctx: Context): Promise<Caller>;
  /** Encrypts secrets at rest; `about` is authenticated with them. */
  box: { sealBytes(bytes: Buffer, about: string): Buffer; openBytes(sealed: Buffer, about: string): Buffer };
}
