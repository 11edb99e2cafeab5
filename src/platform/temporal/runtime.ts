import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;

// The SDK warns about every worker that runs only activities.
const NO_WARNING = 'No workflows registered, not polling for workflow tasks';

/**
 * Routes the logs of Temporal's SDK and its native core to our log and leaves signals to us. Call once per process
 * before connecting. Demotes the SDK's info messages to debug.
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
