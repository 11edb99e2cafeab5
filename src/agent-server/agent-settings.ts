import { type Static, Type } from 'typebox';
import { count, port, seconds, serviceSettings, text } from '../platform/service-settings.ts';

const HOST_ADDRESS = '^(unix:/.+|tcp:.+:\\d+)$';
const ROUTE = '^(unix:/\\S+|tcp:\\S+:\\d+) (unix:/\\S+|tcp:\\S+:\\d+)$';

/** Every setting of an agent server; read from the environment, listed in docs/settings.md. */
export const AgentSettings = Type.Object({
  ...serviceSettings,
  PORT: port(2024),
  SLIPWAY_DEPLOYMENT: Type.String({
    default: 'local',
    pattern: '^[A-Za-z0-9_.-]{1,100}$',
    description: 'Name of the deployment; part of its workflow ids and task queue',
  }),
  SLIPWAY_TASK_QUEUE: text(
    "Extra task queue for runs this process accepts itself; defaults to the deployment's",
  ),
  SLIPWAY_GATEWAY_TOKEN: text(
    'Secret required in X-Slipway-Gateway-Token on every request except health checks; unset turns it off',
    { minLength: 16 },
  ),
  SLIPWAY_HOSTS: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 64,
      description: "Processes that run the project's code; defaults to one fewer than the cores",
    }),
  ),
  SLIPWAY_HOST_BLOCKED_SECONDS: seconds('Silence after which a blocked graph host is replaced', 60),
  SLIPWAY_PYTHON: text(
    "Interpreter for Python projects; defaults to the project's .venv, then an active virtual environment, then python3",
  ),
  SLIPWAY_HOST_PROJECT: text("Path of the project's folder inside graph hosts; defaults to its path here"),
  SLIPWAY_HOST_PREFIX: text(
    'Command of a sandbox to start graph hosts in, as a JSON list; it reads its environment from standard input',
  ),
  SLIPWAY_HOST_LISTEN: text(
    'Address where graph hosts of another container connect, `unix:/path` or `tcp:address:port`; unset starts them here',
    { pattern: HOST_ADDRESS },
  ),
  SLIPWAY_HOST_ADDRESS: text(
    'Address where `slipway host` finds its server, `unix:/path` or `tcp:name:port`; makes `slipway serve` act as `slipway host`',
    { pattern: HOST_ADDRESS },
  ),
  SLIPWAY_HOST_TOKEN: text('Secret that `slipway host` presents to its server', { minLength: 32 }),
  SLIPWAY_HOST_HEALTH: text(
    'Address where `slipway host` answers health probes, `tcp:address:port`: 200 while it is connected, otherwise 503',
    { pattern: HOST_ADDRESS },
  ),
  SLIPWAY_HOST_RELAY: text(
    'Connections to pass on between graph hosts and their server: an address to listen on, a space, and one to connect to',
    { pattern: ROUTE },
  ),
  SLIPWAY_CONCURRENCY: count('Runs a worker executes at once', 200),
  SLIPWAY_LOCAL_RUN_MS: count(
    'Experimental: milliseconds a run executes within its workflow task before it gets an activity of its own. 300 makes short runs cheaper, but overload can block threads; 0 turns it off',
    0,
    { minimum: 0, maximum: 2_000 },
  ),
  SLIPWAY_CACHED_WORKFLOWS: count('Thread workflows a worker keeps in memory', 500, { minimum: 2 }),
  SLIPWAY_RUN_TIMEOUT_SECONDS: seconds('Time limit for a run', 86_400, { maximum: 2_000_000 }),
  SLIPWAY_RUN_ATTEMPTS: count('Attempts at a run before it fails', 3),
  SLIPWAY_HEARTBEAT_TIMEOUT_SECONDS: seconds(
    'Silence after which a worker counts as lost and another one continues its runs',
    3,
  ),
  SLIPWAY_THREAD_LINGER_SECONDS: seconds('Time the workflow of an idle thread stays open', 3),
  SLIPWAY_LEAVE_SECONDS: seconds('Time a stopped run waits for a node that ignores the abort signal', 60),
  SLIPWAY_ANSWER_SECONDS: seconds(
    'Time a replaced revision keeps answering requests whose runs moved to the next one',
    300,
    { minimum: 0 },
  ),
  SLIPWAY_EVENT_RETENTION_SECONDS: seconds("Time a finished run's events can be replayed", 120),
  SLIPWAY_WEBHOOK_ATTEMPTS: count('Attempts at a webhook before it is given up', 40, { maximum: 1000 }),
  SLIPWAY_WEBHOOK_TIMEOUT_SECONDS: seconds('Timeout of one webhook attempt, redirects included', 30, {
    maximum: 500,
  }),
  SLIPWAY_WEBHOOK_CONCURRENCY: count('Webhooks a worker sends at once', 50),
  SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES: Type.String({
    default: 'all',
    description:
      'Private and loopback addresses that webhooks may reach: `all`, `none`, or a comma-separated list of names, addresses and networks (`10.0.0.0/8`)',
  }),
  SLIPWAY_WEBHOOK_SECRET: text(
    'Secret that signs webhooks by the Standard Webhooks scheme: whsec_ followed by base64',
  ),
  SLIPWAY_KEEP_ALIVE_SECONDS: seconds('Interval between heartbeats on streams and waiting responses', 5),
  SLIPWAY_EVENT_LIMIT_BYTES: count(
    'Largest stream event, in bytes; larger ones are dropped',
    128 * 1024 * 1024,
  ),
  SLIPWAY_READER_LIMIT_BYTES: count(
    'How far a stream reader may fall behind before it is disconnected, in bytes',
    16 * 1024 * 1024,
  ),
});
export type AgentSettings = Static<typeof AgentSettings>;
