import type { Logger } from 'pino';

/** Stops once, in order, on SIGINT or SIGTERM; a second signal ends the process at once. */
export function onStopSignal(log: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const handle = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping; running runs may finish, again to stop at once');
    stop().then(
      () => process.exit(),
      (error: unknown) => {
        log.error({ err: error }, 'did not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', handle);
  process.on('SIGTERM', handle);
}

/**
 * A promise that nobody waits for and that fails, most likely in a graph, is told of and nothing more: it must not take
 * the runs of everyone else with it.
 */
export function surviveStrayRejections(log: Logger): void {
  process.on('unhandledRejection', (reason) =>
    log.error({ err: reason }, 'a rejected promise was left unhandled'),
  );
}
