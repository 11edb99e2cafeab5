import type { Duplex } from 'node:stream';
import type { Language } from '../../graph-protocol/language.ts';

/** A process that runs the project's code, and the connection to it. */
export interface LaunchedHost {
  socket: Duplex;
  /** Folder of the project where the process runs, if its container says. */
  dir?: string;
  /** Settles when the process has ended, with how it ended. */
  ended: Promise<string>;
  kill(): void;
}

/** Starts graph hosts, on this machine or in another container. */
export interface HostLauncher {
  /** Waits until a process can be started. Throws ProjectCrashed if the process ends before it connects. */
  launch(language: Language): Promise<LaunchedHost>;
  readonly isReachable: boolean;
  close(): void;
}
