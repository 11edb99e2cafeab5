import type { Logger } from 'pino';

/** Stops gracefully on SIGINT or SIGTERM; a second signal exits at once. */
export function onStopSignal(log: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const handle = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping; running runs may finish; signal again to stop at once');
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

/** Logs unhandled rejections, most likely from a graph, instead of ending everyone's runs. */
export function surviveStrayRejections(log: Logger): void {
  process.on('unhandledRejection', (reason) =>
    log.error({ err: reason }, 'a rejected promise was left unhandled'),
  );
}
