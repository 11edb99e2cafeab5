import type { User } from '../../graph-protocol/messages.ts';
import { AsyncLocalStorage } from 'node:async_hooks';

/** The user and run on whose behalf the project's code runs. */
export interface Acting {
  user?: User | undefined;
  run_id?: string;
  thread_id?: string;
  /** Id of the server's call. */
  scope?: number;
  /** Returns the node that is executing. */
  node?: () => string | undefined;
}

const current = new AsyncLocalStorage<Acting>();

/** Runs the project's code. Replaces the whole context: nothing is inherited from an outer call. */
export const actingAs = <T>(acting: Acting, work: () => T): T => current.run(acting, work);

export const acting = (): Acting => current.getStore() ?? {};
