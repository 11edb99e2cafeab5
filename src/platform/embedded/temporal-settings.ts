/** Search attributes of our workflows, registered when the dev server starts. */
export const SEARCH_ATTRIBUTES = {
  SlipwayDeployment: 'Keyword',
  SlipwayAssistant: 'Keyword',
  SlipwayGraph: 'Keyword',
  SlipwayStatus: 'Keyword',
  SlipwayRunIds: 'KeywordList',
} as const;

/** Retention of closed workflows in Temporal's UI. Runs themselves are stored in Postgres. */
export const RETENTION_MS = 3 * 24 * 3_600_000;

/**
 * Dynamic configuration that reduces the dev server's latency from 100 ms to 25 ms.
 * deploy/temporal/dynamic-config.yaml has the same values with explanations.
 */
export const DYNAMIC_CONFIG: Record<string, string | number | boolean> = {
  'history.transferProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxPollRPS': 200,
  'history.timerProcessorMaxTimeShift': '1ms',
  'history.maxInFlightUpdates': 0,
  'history.rps': 20_000,
  'matching.rps': 20_000,
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  'frontend.rps': 20_000,
  'frontend.namespaceRPS': 20_000,
  'frontend.WorkerCommandsEnabled': true,
  'system.enableCancelActivityWorkerCommand': true,
  'system.forceSearchAttributesCacheRefreshOnRead': false,
  'worker.schedulerNamespaceStartWorkflowRPS': 500,
};

/**
 * Nothing is lost if the server is killed; after a power failure the sweep re-sends what Temporal lost. SQLite's
 * defaults make runs three times slower.
 */
export const SQLITE_PRAGMAS = { journal_mode: 'wal', synchronous: 'off' };
