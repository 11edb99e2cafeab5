import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Database } from '../platform/db/database.ts';
import type { Notifications } from '../platform/db/notifications.ts';
import type { AgentSettings } from './agent-settings.ts';
import type { StatusPoll } from './events/status-poll.ts';
import type { Project } from './graphs/project.ts';
import type { Metrics } from './meta/metrics.ts';
import type { RunningRuns } from './runs/running-runs.ts';
import type { ThreadWorkflows } from './runs/thread-workflows.ts';
import type { Store } from './store/store-service.ts';

/** What every part of an agent server works with; built once in src/bin and passed in. */
export interface AgentDeps {
  config: AgentSettings;
  log: Logger;
  metrics: Metrics;
  db: Database;
  notifications: Notifications;
  poll: StatusPoll;
  temporal: Client;
  threads: ThreadWorkflows;
  /** The agent project: its graphs and its own copy of the graph engine. */
  project: Project;
  /** Runs this process executes; empty in one that only serves the API. */
  running: RunningRuns;
  store: Store;
}
