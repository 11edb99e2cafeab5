import type { Duplex } from 'node:stream';
import type { Language } from '../../graph-protocol/language.ts';

/** A process that runs code of the project, with a connection to it. */
export interface LaunchedHost {
  socket: Duplex;
  /** Settles when the process is gone, with how it ended. */
  ended: Promise<string>;
  kill(): void;
}

/** Starts the processes of graph hosts: here, or in a container of their own. */
export interface HostLauncher {
  /** Waits while nothing can be started. Throws ProjectCrashed when the process ends before it connects. */
  launch(language: Language): Promise<LaunchedHost>;
  readonly isReachable: boolean;
  close(): void;
}
