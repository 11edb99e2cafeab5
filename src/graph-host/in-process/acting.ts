import type { User } from '../../graph-protocol/messages.ts';
import { AsyncLocalStorage } from 'node:async_hooks';

/** In whose name the project's code runs right now, and for which run. */
export interface Acting {
  user?: User | undefined;
  run_id?: string;
  thread_id?: string;
  /** The server's call that the code runs for. */
  scope?: number;
  /** The node of the graph that runs right now. */
  node?: () => string | undefined;
}

const current = new AsyncLocalStorage<Acting>();

/** Runs code of the project. Every entry into it says who acts: what is not said is not inherited. */
export const actingAs = <T>(acting: Acting, work: () => T): T => current.run(acting, work);

export const acting = (): Acting => current.getStore() ?? {};
