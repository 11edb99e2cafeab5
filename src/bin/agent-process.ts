import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { AgentDeps } from '../agent-server/agent-deps.ts';
import { agentHandler, listen } from '../agent-server/agent-server.ts';
import type { AgentSettings } from '../agent-server/agent-settings.ts';
import { createAccess } from '../agent-server/auth/access.ts';
import { hostApplication } from '../agent-server/custom-app/custom-app.ts';
import { readSystemSettings } from '../agent-server/assistants/system-settings.ts';
import { syncSystemAssistants } from '../agent-server/assistants/system-assistants.ts';
import { CronSchedules } from '../agent-server/schedules/cron-schedules.ts';
import { hostEncryption } from '../agent-server/encryption/host-encryption.ts';
import { createCipher } from '../agent-server/encryption/project-cipher.ts';
import { StatusPoll } from '../agent-server/runs/status-poll.ts';
import type { AgentProject } from '../agent-server/hosts/agent-project.ts';
import { Metrics } from '../agent-server/meta/metrics.ts';
import { InProcessApi } from '../agent-server/in-process/in-process-api.ts';
import { FeedbackLinks } from '../agent-server/runs/feedback.ts';
import { RunningRuns } from '../agent-server/runs/running-runs.ts';
import { ThreadWorkflows } from '../agent-server/runs/thread-workflows.ts';
import { createStore } from '../agent-server/store/store-service.ts';
import { Webhooks } from '../agent-server/webhooks/webhooks.ts';
import { connectionConfig, openDatabase } from '../platform/db/database.ts';
import { migrate } from '../platform/db/migrate.ts';
import { Notifications } from '../platform/db/notifications.ts';
import { untilAnswered } from '../platform/http/until-answered.ts';
import { packageRoot } from '../platform/package-root.ts';
import { readPrivateAddresses } from '../platform/private-addresses.ts';
import { connectTemporal, temporalAddress } from '../platform/temporal/connection.ts';
import { installTemporalRuntime } from '../platform/temporal/runtime.ts';
import { registerSearchAttributes } from '../platform/temporal/search-attributes.ts';
import { fetchUi } from '../agent-server/ui/fetch-ui.ts';
import type { ProjectHosts } from './project-hosts.ts';
import { startAgentWorkers } from './agent-workers.ts';
import { keepRegistered } from './kept-registrations.ts';
import { AGENT_SCHEDULES, removeSchedules } from './former-schedules.ts';

export type Role = 'all' | 'api' | 'worker';

export interface AgentProcessOptions {
  config: AgentSettings & { DATABASE_URL: string; TEMPORAL_ADDRESS: string };
  project: AgentProject;
  hosts: Omit<ProjectHosts, 'project'>;
  /** This server's own environment. */
  serverEnv: NodeJS.ProcessEnv;
  role: Role;
  log: Logger;
}

export interface AgentProcess {
  /** Address of the API; undefined for a worker. */
  url: string | undefined;
  /** Stops taking runs, lets running ones finish within the grace period, then releases the rest. */
  stop(): Promise<void>;
}

const migrations = new URL('migrations/agent-server/', packageRoot);

export async function migrateAgentServer(databaseUrl: string): Promise<string[]> {
  const db = openDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    return await migrate(db, 'agent-server', migrations);
  } finally {
    await db.end();
  }
}

/** Joins the parts of an agent server process: API, worker, or both. */
export async function startAgentProcess({
  config,
  project,
  hosts: { hosts, env: projectEnv, serve },
  serverEnv,
  role,
  log,
}: AgentProcessOptions): Promise<AgentProcess> {
  installTemporalRuntime(log);
  // These are independent of each other.
  const { description } = project;
  const app = description.http ? hostApplication(hosts, description) : undefined;
  const encryption = hostEncryption(hosts, description);
  const settings = readSystemSettings(projectEnv);
  const inProcess = new InProcessApi();
  const [ui, temporal] = await Promise.all([
    role === 'worker' ? new Map() : fetchUi(hosts, project.config),
    connectTemporal(temporalAddress(config)),
    migrateAgentServer(config.DATABASE_URL),
  ]);
  const webhooks = new Webhooks({
    app,
    config: project.config,
    env: projectEnv,
    secret: config.SLIPWAY_WEBHOOK_SECRET,
    timeoutMs: config.SLIPWAY_WEBHOOK_TIMEOUT_SECONDS * 1000,
    privateAddresses: readPrivateAddresses(
      'SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES',
      config.SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES,
    ),
  });
  const database = {
    url: config.DATABASE_URL,
    poolSize: config.SLIPWAY_DATABASE_POOL,
    statementTimeoutMs: config.SLIPWAY_STATEMENT_TIMEOUT_SECONDS * 1000,
    onError: (error: Error) => log.warn({ err: error }, 'idle database connection lost'),
  };
  const db = openDatabase({ ...database, cipher: encryption && createCipher(encryption) });
  const notifications = new Notifications(connectionConfig(database), log);
  const taskQueue = `slipway-${config.SLIPWAY_DEPLOYMENT}`;
  const runQueue = config.SLIPWAY_TASK_QUEUE ?? taskQueue;
  const [searchAttributes, store] = await Promise.all([
    registerSearchAttributes(temporal),
    createStore({ db, project, hosts, log }),
    notifications.open(),
  ]);
  if (!searchAttributes)
    log.warn('the namespace has no Slipway search attributes; runs cannot be searched for there');
  const deps: AgentDeps = {
    config,
    log,
    db,
    notifications,
    project,
    systemAssistants: [...project.graphs.values()].map(({ graph_id, description: text }) => ({
      graph_id,
      description: text,
      settings: settings.get(graph_id),
    })),
    hosts,
    temporal: temporal.client,
    metrics: new Metrics(role === 'api' ? 0 : config.SLIPWAY_CONCURRENCY),
    poll: new StatusPoll(db, config.SLIPWAY_KEEP_ALIVE_SECONDS * 1000, log),
    running: new RunningRuns(notifications, `${taskQueue}-${randomUUID()}`),
    feedback: new FeedbackLinks(serverEnv),
    access: createAccess(project, hosts, log),
    app,
    encryption,
    ui,
    webhooks,
    store,
    crons: new CronSchedules({
      client: temporal.client,
      deployment: config.SLIPWAY_DEPLOYMENT,
      taskQueue,
      deadlineMs: config.SLIPWAY_TEMPORAL_DEADLINE_SECONDS * 1000,
    }),
    threads: new ThreadWorkflows({
      client: temporal.client,
      deployment: config.SLIPWAY_DEPLOYMENT,
      taskQueue,
      runQueue,
      lingerMs: config.SLIPWAY_THREAD_LINGER_SECONDS * 1000,
      heartbeatTimeoutMs: config.SLIPWAY_HEARTBEAT_TIMEOUT_SECONDS * 1000,
      localMs: config.SLIPWAY_LOCAL_RUN_MS,
      searchAttributes,
      deadlineMs: config.SLIPWAY_TEMPORAL_DEADLINE_SECONDS * 1000,
    }),
  };
  const handle = agentHandler(deps);
  const { mount_prefix = '' } = project.config.http ?? {};
  inProcess.serve(handle, mount_prefix);
  serve({
    runStore: (operations) => store.run(operations),
    answerFetch: (request, exchange) => inProcess.answer(request, exchange),
  });
  // Only once the whole project is loaded: a failed start must not change what the previous revision serves.
  await syncSystemAssistants(db, deps.systemAssistants);
  const [work] = await Promise.all([
    role === 'api' ? undefined : startAgentWorkers(deps, temporal),
    removeSchedules(temporal.client, config.SLIPWAY_DEPLOYMENT, AGENT_SCHEDULES),
  ]);
  const stopRegistering = keepRegistered(async () => {
    // Temporal refuses workflows with unregistered search attributes.
    if (searchAttributes) await registerSearchAttributes(temporal);
  }, log);
  const http = role === 'worker' ? undefined : await listen(deps, handle);
  if (http) void hosts.broadcast('serving', { url: `http://localhost:${http.port}${mount_prefix}` });
  return {
    url: http?.url,
    async stop() {
      deps.running.leave();
      await stopRegistering();
      // Idle keep-alive connections would keep the server open; streams continue until their runs end.
      http?.server.close();
      http?.server.closeIdleConnections();
      http?.sockets.close();
      await work?.stop();
      await deps.running.handBack();
      // Answers requests about this revision's runs that another revision executes.
      if (http && runQueue !== taskQueue)
        await untilAnswered(http.server, Date.now() + config.SLIPWAY_ANSWER_SECONDS * 1000);
      await webhooks.close();
      http?.server.closeAllConnections();
      inProcess.close();
      await hosts.stop();
      deps.running.close();
      deps.poll.close();
      await notifications.close();
      await db.end();
      await temporal.connection.close();
    },
  };
}
