import { type Static, Type } from 'typebox';
import { driverSettings } from './drivers/driver-settings.ts';
import { seconds, text } from '../platform/service-settings.ts';

const bytes = (description: string, byDefault: number) =>
  Type.Integer({ description: `${description}, in bytes`, default: byDefault, minimum: 1 });

const days = (description: string, byDefault: number) =>
  Type.Integer({ description: `${description}, in days`, default: byDefault, minimum: 1, maximum: 36_500 });

/** Every setting of the control plane beyond those all services share; listed in the README. */
export const ControlPlaneSettings = Type.Object({
  SLIPWAY_PLATFORM: Type.String({
    default: 'platform',
    pattern: '^[A-Za-z0-9_.-]{1,100}$',
    description: 'name of the platform; part of its task queues and of its Schedule',
  }),
  SLIPWAY_PUBLIC_URL: Type.String({
    default: 'http://localhost:8080',
    pattern: '^https?://',
    description: 'address under which people and agents reach the platform; by default follows PORT',
  }),
  SLIPWAY_SECRET_KEY: text(
    'seals environments and tokens; several, separated by commas: the first seals, all open',
    { minLength: 16 },
  ),
  SLIPWAY_API_KEY: text('API key that is there from the first start; by default one is made and printed', {
    minLength: 16,
    pattern: '^[\\x21-\\x7e]+$',
  }),
  SLIPWAY_GATEWAY_DOMAIN: text(
    'domain below which an id leads to its deployment, and r- and an id to that revision',
    { pattern: '^[a-z0-9.-]+$' },
  ),
  SLIPWAY_GATEWAY_HOLD_SECONDS: seconds(
    'how long a request waits for a revision that is not reached just now',
    10,
    { minimum: 0 },
  ),
  SLIPWAY_GATEWAY_REPEATS: Type.Integer({
    description:
      'how often the gateway sends a request again that may be done twice, when the replica that had it ends',
    default: 2,
    minimum: 0,
  }),
  SLIPWAY_GATEWAY_REPEAT_BYTES: bytes('largest body the gateway keeps to send it again', 1_000_000),
  SLIPWAY_DATA_DIR: Type.String({
    default: '.slipway',
    description: 'data directory of the embedded services',
  }),
  SLIPWAY_GIT_PROTOCOLS: Type.String({
    default: 'https,ssh',
    pattern: '^(https|http|ssh|file)(,(https|http|ssh|file))*$',
    description: 'protocols that sources may be fetched by, of https, ssh, http and file',
  }),
  SLIPWAY_GIT_PRIVATE_ADDRESSES: Type.Boolean({
    default: false,
    description: 'sources may be fetched from private addresses',
  }),
  SLIPWAY_GIT_EVENT_LIMIT_BYTES: bytes('largest event of a git host', 26_214_400),
  SLIPWAY_GIT_EVENT_SECONDS: seconds(
    'oldest event of a git host that counts; they are remembered twice as long',
    259_200,
  ),
  SLIPWAY_PREVIEWS: Type.Integer({
    default: 10,
    minimum: 0,
    description: 'most previews of pull requests a deployment may have at once',
  }),
  SLIPWAY_PREVIEW_DAYS: days('how long a preview stays after the last push to its pull request', 14),
  SLIPWAY_KEPT_ARTIFACTS: Type.Integer({
    default: 10,
    minimum: 1,
    description:
      'artifacts, and pushed images, kept of a deployment beside those that are in use: how far it can be rolled back',
  }),
  SLIPWAY_LOG_DAYS: days('how long lines of logs are kept', 30),
  SLIPWAY_UPLOAD_LIMIT_BYTES: bytes('largest archive that may be uploaded', 209_715_200),
  SLIPWAY_UPLOAD_SECONDS: seconds('how long an address for an upload is good', 900),
  SLIPWAY_SOURCE_LIMIT_BYTES: bytes('most an archive may hold when it is unpacked', 1_073_741_824),
  SLIPWAY_ARTIFACT_LIMIT_BYTES: bytes('largest artifact', 4_294_967_296),
  SLIPWAY_BUILD_MEMORY_MB: Type.Integer({
    default: 4_096,
    minimum: 128,
    description: 'most memory a process of a build may hold, in MB',
  }),
  SLIPWAY_BUILDS: Type.Integer({ default: 2, minimum: 1, description: 'builds of a worker at once' }),
  SLIPWAY_BUILD_TIMEOUT_SECONDS: seconds('longest a build may take', 900),
  SLIPWAY_PICKUP_TIMEOUT_SECONDS: seconds('longest a revision waits for a builder or a data plane', 1_800),
  SLIPWAY_DEPLOY_TIMEOUT_SECONDS: seconds(
    'how long a starting revision may show no progress; three times as long in all',
    300,
  ),
  SLIPWAY_REQUIRE_APPROVAL: Type.Boolean({
    default: false,
    description:
      'every revision waits, built, until somebody approves it; else those whose deployment says so',
  }),
  SLIPWAY_APPROVAL_TIMEOUT_SECONDS: seconds('longest a revision waits for approval', 604_800),
  ...driverSettings,
  SLIPWAY_AGENT_MEMORY_MB: Type.Integer({
    default: 2048,
    minimum: 128,
    description: 'memory of an agent whose deployment names none (resource_spec.memory_limit_mb)',
  }),
  SLIPWAY_DRAIN_SECONDS: seconds('how long a replaced revision may finish what it has begun', 180),
  SLIPWAY_ANSWER_SECONDS: seconds(
    'how long a replaced revision answers requests whose runs go on in the next one',
    300,
    { minimum: 0 },
  ),
  SLIPWAY_TRAFFIC_FLUSH_SECONDS: seconds('time between two writings of what gateways have counted', 5),
  SLIPWAY_TRAFFIC_DAYS: Type.Integer({
    default: 7,
    minimum: 1,
    description: 'days that counted traffic is kept',
  }),
  SLIPWAY_CANARY_CHECK_SECONDS: seconds('time between two looks at a canary', 10),
  SLIPWAY_CANARY_WINDOW_SECONDS: seconds('how far back the figures of a canary are compared', 300),
  SLIPWAY_CANARY_MINIMUM: Type.Integer({
    default: 20,
    minimum: 1,
    description: 'requests, or runs, of a canary before they can abort it',
  }),
  SLIPWAY_CANARY_MARGIN: Type.Number({
    default: 5,
    minimum: 0,
    maximum: 100,
    description: 'percentage points by which a canary may fail more often than the revision that serves',
  }),
  SLIPWAY_REPLICAS_LIMIT: Type.Integer({
    default: 10,
    minimum: 1,
    description: 'most replicas of a revision, whatever its resource_spec.max_scale says',
  }),
  SLIPWAY_SCALE_SECONDS: seconds('time between two looks at how many replicas revisions need', 15, {
    minimum: 1,
  }),
  SLIPWAY_SCALE_RUNS: Type.Integer({
    default: 10,
    minimum: 1,
    description: 'pending runs that one replica is expected to deal with',
  }),
  SLIPWAY_SCALE_CPU_PERCENT: Type.Integer({
    default: 75,
    minimum: 1,
    maximum: 100,
    description: 'part of its cores (resource_spec.cpu) a replica is meant to use, in percent',
  }),
  SLIPWAY_SCALE_MEMORY_PERCENT: Type.Integer({
    default: 75,
    minimum: 1,
    maximum: 100,
    description:
      'part of the memory it may have (resource_spec.memory_limit_mb) a replica is meant to use, in percent',
  }),
  SLIPWAY_SCALE_DOWN_SECONDS: seconds(
    'how long fewer replicas must have been enough before there are fewer',
    1_800,
    { minimum: 0 },
  ),
  SLIPWAY_SLEEP_SECONDS: seconds(
    'how long nobody must have asked for a deployment that may have no replicas before it sleeps',
    900,
  ),
  SLIPWAY_TENANT_DEPLOYMENTS: Type.Integer({
    default: 1_000,
    minimum: 0,
    description: 'most deployments a tenant may have',
  }),
  SLIPWAY_OIDC_ISSUER: Type.Optional(
    Type.String({ pattern: '^https?://', description: 'whose bearer tokens are believed; its `iss`' }),
  ),
  SLIPWAY_OIDC_AUDIENCE: Type.String({ default: 'slipway', description: '`aud` a bearer token must have' }),
  SLIPWAY_OIDC_JWKS_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'keys of the issuer; otherwise its OpenID configuration tells where they are',
    }),
  ),
  SLIPWAY_OIDC_TENANT_CLAIM: Type.String({
    default: 'tenant_id',
    description: 'claim with the tenant, or the list of tenants, of a bearer token',
  }),
  SLIPWAY_OIDC_ROLE_CLAIM: Type.String({
    default: 'role',
    description: 'claim with the role or roles: viewer, deployer, admin; without one a token may only read',
  }),
  SLIPWAY_OIDC_GROUP_CLAIM: Type.String({ default: 'groups', description: 'claim with the groups' }),
  SLIPWAY_OIDC_GROUPS: text('what groups stand for, as JSON: {"<group>": {"tenant_id": "…", "role": "…"}}'),
  SLIPWAY_OIDC_CLIENT_ID: text('client of the issuer by which people sign in to the console'),
  SLIPWAY_OIDC_CLIENT_SECRET: text('its secret; none for a public client'),
  SLIPWAY_OIDC_SCOPE: Type.String({
    default: 'openid email profile',
    description: 'scopes asked for when people sign in',
  }),
  SLIPWAY_SESSION_SECONDS: seconds('how long somebody stays signed in to the console', 43_200),
  SLIPWAY_TEMPORAL_UI_URL: text(
    'address of the Temporal UI, for links of the console; by default the embedded one’s',
    {
      pattern: '^https?://',
    },
  ),
  SLIPWAY_REGISTRY_URL: Type.Optional(
    Type.String({
      pattern: '^[^/\\s]+(/[^\\s]*)?$',
      description:
        'registry that images are pushed to, as host:port/path, instead of the one the platform is itself',
    }),
  ),
  SLIPWAY_REGISTRY_USERNAME: Type.String({ default: 'slipway', description: 'user of that registry' }),
  SLIPWAY_REGISTRY_PASSWORD: Type.Optional(
    Type.String({ description: 'password of that user: what a push token is' }),
  ),
  SLIPWAY_PUSH_TOKEN_SECONDS: seconds('how long a token to push images with is good', 900),
  SLIPWAY_REGISTRY_LAYER_LIMIT_BYTES: bytes('largest layer of an image', 10_737_418_240),
  SLIPWAY_REGISTRY_LIMIT_BYTES: bytes('most that the images of a deployment may take', 53_687_091_200),
  SLIPWAY_RECEIVE_SECONDS: seconds('longest the platform takes to receive an upload', 3_600),
  SLIPWAY_RECEIVE_UNKNOWN_SECONDS: seconds(
    'longest the platform takes to receive a body before it knows who sends it, unless an open agent gets it at 1 kB/s',
    20,
  ),
  SLIPWAY_INTEGRATIONS: Type.Optional(
    Type.String({
      description: 'git hosts and repositories to choose from, as JSON; see docs/control-plane-api.md',
    }),
  ),
});
export type ControlPlaneSettings = Static<typeof ControlPlaneSettings>;
