import { type Static, Type } from 'typebox';
import { count, port, seconds, serviceSettings, text } from '../platform/service-settings.ts';

/** Every setting of an agent server; read from the environment, listed in the README. */
export const AgentSettings = Type.Object({
  ...serviceSettings,
  PORT: port(2024),
  SLIPWAY_DEPLOYMENT: Type.String({
    default: 'local',
    pattern: '^[A-Za-z0-9_.-]{1,100}$',
    description: 'name of the deployment; part of workflow ids and of its task queue',
  }),
  SLIPWAY_TASK_QUEUE: text(
    "task queue on which this process executes the runs it accepts, beside the deployment's; by default that one",
  ),
  SLIPWAY_GATEWAY_TOKEN: text(
    'what every request must say in X-Slipway-Gateway-Token, but for the health; by default nothing',
    { minLength: 16 },
  ),
  SLIPWAY_HOSTS: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 64,
      description: "processes that run the project's code; by default one less than there are cores",
    }),
  ),
  SLIPWAY_HOST_BLOCKED_SECONDS: seconds('silence after which a blocked graph host is replaced', 60),
  SLIPWAY_PYTHON: text(
    "interpreter of Python projects; by default the project's .venv, an active virtual environment or python3",
  ),
  SLIPWAY_HOST_PROJECT: text("the project's folder as graph hosts see it; by default as it is here"),
  SLIPWAY_HOST_PREFIX: text(
    'JSON list put before the command of a graph host: a sandbox that reads its environment from standard input',
  ),
  SLIPWAY_CONCURRENCY: count('runs a worker executes at once', 200),
  SLIPWAY_CACHED_WORKFLOWS: count('thread workflows a worker keeps in memory', 500, { minimum: 2 }),
  SLIPWAY_RUN_TIMEOUT_SECONDS: seconds('longest a run may take', 86_400, { maximum: 2_000_000 }),
  SLIPWAY_RUN_ATTEMPTS: count('attempts at a run before it is an error', 3),
  SLIPWAY_HEARTBEAT_TIMEOUT_SECONDS: seconds('silence of a worker before its runs go on elsewhere', 3),
  SLIPWAY_THREAD_LINGER_SECONDS: seconds('how long the workflow of an idle thread stays open', 3),
  SLIPWAY_LEAVE_SECONDS: seconds('how long a stopped run waits for a node that looks at no signal', 60),
  SLIPWAY_ANSWER_SECONDS: seconds(
    'how long a replaced revision answers requests whose runs go on in the next one',
    300,
    { minimum: 0 },
  ),
  SLIPWAY_EVENT_RETENTION_SECONDS: seconds('how long the events of an ended run can be streamed again', 120),
  SLIPWAY_WEBHOOK_ATTEMPTS: count('attempts at a webhook before it is given up', 40, { maximum: 1000 }),
  SLIPWAY_WEBHOOK_TIMEOUT_SECONDS: seconds(
    'longest an attempt at a webhook may take, redirects included',
    30,
    {
      maximum: 500,
    },
  ),
  SLIPWAY_WEBHOOK_CONCURRENCY: count('webhooks a worker sends at once', 50),
  SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES: Type.String({
    default: 'all',
    description:
      'private and loopback addresses webhooks may lead to: `all`, `none`, or names, addresses and networks (`10.0.0.0/8`), separated by commas',
  }),
  SLIPWAY_WEBHOOK_SECRET: text('signs webhooks by the Standard Webhooks scheme; whsec_ and base64'),
  SLIPWAY_KEEP_ALIVE_SECONDS: seconds('time between heartbeats of a stream or of a waiting answer', 5),
  SLIPWAY_EVENT_LIMIT_BYTES: count('largest event of a stream; larger ones are dropped', 128 * 1024 * 1024),
  SLIPWAY_READER_LIMIT_BYTES: count(
    'most a slow reader of a stream may fall behind before it is cut off',
    16 * 1024 * 1024,
  ),
});
export type AgentSettings = Static<typeof AgentSettings>;
