import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Database } from '../platform/db/database.ts';
import type { Notifications } from '../platform/db/notifications.ts';
import type { AgentSettings } from './agent-settings.ts';
import type { SystemAssistant } from './assistants/system-assistants.ts';
import type { Access } from './auth/access.ts';
import type { CronSchedules } from './schedules/cron-schedules.ts';
import type { CustomApp } from './custom-app/custom-app.ts';
import type { ProjectEncryption } from './encryption/host-encryption.ts';
import type { StatusPoll } from './runs/status-poll.ts';
import type { AgentProject } from './hosts/agent-project.ts';
import type { GraphHosts } from './hosts/graph-hosts.ts';
import type { Metrics } from './meta/metrics.ts';
import type { FeedbackLinks } from './runs/feedback.ts';
import type { RunningRuns } from './runs/running-runs.ts';
import type { ThreadWorkflows } from './runs/thread-workflows.ts';
import type { Store } from './store/store-service.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

/** Dependencies of all parts of an agent server; built once in src/bin and passed in. */
export interface AgentDeps {
  config: AgentSettings;
  log: Logger;
  metrics: Metrics;
  db: Database;
  notifications: Notifications;
  poll: StatusPoll;
  temporal: Client;
  threads: ThreadWorkflows;
  crons: CronSchedules;
  /** The agent project: its configuration and its graphs. */
  project: AgentProject;
  /** One for each graph. */
  systemAssistants: SystemAssistant[];
  /** Runs the project's code. */
  hosts: GraphHosts;
  /** Runs this process is executing; empty if it only serves the API. */
  running: RunningRuns;
  store: Store;
  feedback: FeedbackLinks;
  /** The project's browser components, by their names in `ui`. */
  ui: ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>;
  /** How the project encrypts stored data; undefined if it doesn't. */
  encryption: ProjectEncryption | undefined;
  /** Access rules; every entry point checks them. */
  access: Access;
  /** The project's own HTTP application, if it has one. */
  app: CustomApp | undefined;
  webhooks: Webhooks;
}
