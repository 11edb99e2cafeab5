import type { Measured } from '../scenario.ts';

/** A running server to compare. */
export interface Peer {
  name: string;
  url: string;
  /** Its CPU time includes that of its child processes. */
  pid: number;
  stop(): Promise<void>;
}

/** Results of each server in each round; an error if a response was wrong. CPU time is in ms. */
export type Rounds = (Error | (Measured & { cpuMs: number }))[][];
