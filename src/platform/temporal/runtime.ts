import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;

// Said of every worker that is there for activities alone.
const NO_WARNING = 'No workflows registered, not polling for workflow tasks';

/**
 * Sends what Temporal's SDK says to our log, its native side too, and leaves signals to us. Once per process, before anything connects.
 * What it calls information is of use only to those who debug it.
 */
export function installTemporalRuntime(log: Logger): void {
  Runtime.install({
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    logger: new DefaultLogger('INFO', ({ level, message, meta }) =>
      log[message === NO_WARNING ? 'debug' : LEVELS[level]](meta ?? {}, message),
    ),
  });
}
