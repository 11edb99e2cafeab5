import type { Context } from 'koa';
import type { User } from '../graph-protocol/messages.ts';

/** The authenticated caller. Plain JSON, so that later work (a cron) can run on its behalf. */
export interface Caller {
  /** Undefined if the project has no authentication. */
  user?: User;
  /** Values added to the configurable of every run of this caller: the user, and headers the project opted into. */
  configurable: Record<string, unknown>;
}

export const ANYONE: Caller = { configurable: {} };

/** The sender of the request. */
export const callerOf = (ctx: Context): Caller => (ctx.state['caller'] as Caller | undefined) ?? ANYONE;
