/** Search attributes of our workflows, registered when the dev server starts. */
export const SEARCH_ATTRIBUTES = {
  SlipwayDeployment: 'Keyword',
  SlipwayAssistant: 'Keyword',
  SlipwayGraph: 'Keyword',
  SlipwayStatus: 'Keyword',
  SlipwayRunIds: 'KeywordList',
} as const;

/** How long Temporal keeps closed workflows for its UI; runs themselves are kept in Postgres. */
export const RETENTION_MS = 3 * 24 * 3_600_000;

/**
 * Dynamic configuration: the dev server as shipped takes 100 ms for what then takes 25. The same values are in
 * deploy/temporal/dynamic-config.yaml, which says what each one is for.
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
 * The file database. A killed server loses nothing with these; after a power cut the sweep re-sends what Temporal
 * no longer knows. With SQLite's own defaults a run takes three times as long.
 */
export const SQLITE_PRAGMAS = { journal_mode: 'wal', synchronous: 'off' };
