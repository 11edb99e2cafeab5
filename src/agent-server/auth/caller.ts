import type { Context } from 'koa';
import type { User } from '../../graph-protocol/messages.ts';

/** Who asks. Plain JSON, so that work done later (a cron) can be done in the same name. */
export interface Caller {
  /** Undefined where the project has no authentication. */
  user?: User;
  /** Values every run of this caller gets in its configurable: the user, and headers the project opted into. */
  configurable: Record<string, unknown>;
}

export const ANYONE: Caller = { configurable: {} };

/** Who sent the request. */
export const callerOf = (ctx: Context): Caller => (ctx.state['caller'] as Caller | undefined) ?? ANYONE;
