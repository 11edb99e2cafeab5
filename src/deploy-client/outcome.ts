/** Results of commands, and their exit codes (docs/ci.md). */
export const EXIT = { deployed: 0, failed: 1, usage: 2, skipped: 3, interrupted: 4, deadline: 5 } as const;
export type Outcome = Exclude<keyof typeof EXIT, 'usage'>;

/** Invalid options of a command; the message names the option and what is valid. */
export class Misused extends Error {
  override readonly name = 'Misused';
}

const OUTCOMES: Record<string, Outcome> = {
  DEPLOYED: 'deployed',
  CREATE_FAILED: 'failed',
  BUILD_FAILED: 'failed',
  DEPLOY_FAILED: 'failed',
  SKIPPED: 'skipped',
  INTERRUPTED: 'interrupted',
};

/** Undefined while the revision is in progress (contract §3.1; UNKNOWN is not final). */
export const outcomeOf = (status: string): Outcome | undefined => OUTCOMES[status];
