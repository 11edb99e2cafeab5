import { type Static, Type } from 'typebox';
import { driverSettings } from './driver-settings.ts';
import { seconds, text } from '../platform/service-settings.ts';

const bytes = (description: string, byDefault: number) =>
  Type.Integer({ description: `${description}, in bytes`, default: byDefault, minimum: 1 });

const days = (description: string, byDefault: number) =>
  Type.Integer({ description: `${description}, in days`, default: byDefault, minimum: 1, maximum: 36_500 });

/** Every setting of the control plane beyond those all services share; listed in docs/settings.md. */
export const ControlPlaneSettings = Type.Object({
  SLIPWAY_PLATFORM: Type.String({
    default: 'platform',
    pattern: '^[A-Za-z0-9_.-]{1,100}$',
    description: 'Name of the platform; part of its task queues',
  }),
  SLIPWAY_PUBLIC_URL: Type.String({
    default: 'http://localhost:8080',
    pattern: '^https?://',
    description: 'URL at which people and agents reach the platform; the default follows PORT',
  }),
  SLIPWAY_SECRET_KEY: text(
    'Key that encrypts environments and tokens. To rotate it, list several, separated by commas: the first encrypts, all decrypt',
    { minLength: 16 },
  ),
  SLIPWAY_API_KEY: text('Administrator API key, valid from the first start; unset generates one', {
    minLength: 16,
    pattern: '^[\\x21-\\x7e]+$',
  }),
  SLIPWAY_GATEWAY_DOMAIN: text(
    'Wildcard domain for deployments (`<id>.<domain>`) and revisions (`r-<id>.<domain>`)',
    { pattern: '^[a-z0-9.-]+$' },
  ),
  SLIPWAY_GATEWAY_HOLD_SECONDS: seconds('Time a request waits for a revision that is unreachable', 10, {
    minimum: 0,
  }),
  SLIPWAY_GATEWAY_REPEATS: Type.Integer({
    description: 'Times the gateway repeats an idempotent request whose replica went away',
    default: 2,
    minimum: 0,
  }),
  SLIPWAY_GATEWAY_REPEAT_BYTES: bytes('Largest body the gateway keeps for a repeat', 1_000_000),
  SLIPWAY_DATA_DIR: Type.String({
    default: '.slipway',
    description: 'Folder for the data of embedded services',
  }),
  SLIPWAY_GIT_PROTOCOLS: Type.String({
    default: 'https,ssh',
    pattern: '^(https|http|ssh|file)(,(https|http|ssh|file))*$',
    description: 'Protocols allowed for Git sources: https, ssh, http, file',
  }),
  SLIPWAY_GIT_PRIVATE_ADDRESSES: Type.Boolean({
    default: false,
    description: 'Allow Git sources on private addresses',
  }),
  SLIPWAY_GIT_EVENT_LIMIT_BYTES: bytes('Largest webhook accepted from a Git host', 26_214_400),
  SLIPWAY_GIT_EVENT_SECONDS: seconds(
    'Age at which a webhook from a Git host is refused (ids are remembered twice as long)',
    259_200,
  ),
  SLIPWAY_PREVIEWS: Type.Integer({
    default: 10,
    minimum: 0,
    description: 'Pull-request previews a deployment may have at once',
  }),
  SLIPWAY_PREVIEW_DAYS: days('Time a preview is kept after the last push to its pull request', 14),
  SLIPWAY_KEPT_ARTIFACTS: Type.Integer({
    default: 10,
    minimum: 1,
    description:
      'Unused artifacts and pushed images kept per deployment; limits how far it can be rolled back',
  }),
  SLIPWAY_LOG_DAYS: days('Time log lines are kept', 30),
  SLIPWAY_UPLOAD_LIMIT_BYTES: bytes('Largest archive that can be uploaded', 209_715_200),
  SLIPWAY_UPLOAD_SECONDS: seconds('Lifetime of an upload URL', 900),
  SLIPWAY_SOURCE_LIMIT_BYTES: bytes('Largest unpacked size of an archive', 1_073_741_824),
  SLIPWAY_ARTIFACT_LIMIT_BYTES: bytes('Largest artifact', 4_294_967_296),
  SLIPWAY_BUILD_MEMORY_MB: Type.Integer({
    default: 4_096,
    minimum: 128,
    description: 'Memory limit of a build process, in MB',
  }),
  SLIPWAY_BUILDS: Type.Integer({ default: 2, minimum: 1, description: 'Builds a worker runs at once' }),
  SLIPWAY_BUILD_TIMEOUT_SECONDS: seconds('Time limit for a build', 900),
  SLIPWAY_PICKUP_TIMEOUT_SECONDS: seconds(
    'Time a revision waits for a builder or a data plane before it fails',
    1_800,
  ),
  SLIPWAY_DEPLOY_TIMEOUT_SECONDS: seconds(
    'Time a starting revision may go without progress (three times that in total)',
    300,
  ),
  SLIPWAY_REQUIRE_APPROVAL: Type.Boolean({
    default: false,
    description: 'Require approval of every revision, not only of deployments that ask for it',
  }),
  SLIPWAY_APPROVAL_TIMEOUT_SECONDS: seconds('Time a revision waits for approval before it fails', 604_800),
  ...driverSettings,
  SLIPWAY_AGENT_MEMORY_MB: Type.Integer({
    default: 2048,
    minimum: 128,
    description: 'Memory limit of an agent without a resource_spec.memory_limit_mb, in MB',
  }),
  SLIPWAY_DRAIN_SECONDS: seconds('Time a replaced revision has to finish its requests and runs', 180),
  SLIPWAY_ANSWER_SECONDS: seconds(
    'Time a replaced revision keeps answering requests whose runs moved to the next one',
    300,
    { minimum: 0 },
  ),
  SLIPWAY_TRAFFIC_FLUSH_SECONDS: seconds('Interval at which gateways write their traffic counts', 5),
  SLIPWAY_TRAFFIC_DAYS: Type.Integer({
    default: 7,
    minimum: 1,
    description: 'Days that traffic counts are kept',
  }),
  SLIPWAY_CANARY_CHECK_SECONDS: seconds('Interval between checks of a canary', 10),
  SLIPWAY_CANARY_WINDOW_SECONDS: seconds('Window over which a canary is compared', 300),
  SLIPWAY_CANARY_MINIMUM: Type.Integer({
    default: 20,
    minimum: 1,
    description: 'Requests or runs a canary must have had before it can be aborted',
  }),
  SLIPWAY_CANARY_MARGIN: Type.Number({
    default: 5,
    minimum: 0,
    maximum: 100,
    description:
      'Percentage points by which the failure rate of a canary may exceed that of the active revision',
  }),
  SLIPWAY_REPLICAS_LIMIT: Type.Integer({
    default: 10,
    minimum: 1,
    description: 'Upper limit for resource_spec.max_scale',
  }),
  SLIPWAY_SCALE_SECONDS: seconds('Interval between scaling decisions', 15, {
    minimum: 1,
  }),
  SLIPWAY_SCALE_RUNS: Type.Integer({
    default: 10,
    minimum: 1,
    description: 'Pending runs per replica that autoscaling aims for',
  }),
  SLIPWAY_SCALE_CPU_PERCENT: Type.Integer({
    default: 75,
    minimum: 1,
    maximum: 100,
    description: 'CPU utilisation that autoscaling aims for, in percent of resource_spec.cpu',
  }),
  SLIPWAY_SCALE_MEMORY_PERCENT: Type.Integer({
    default: 75,
    minimum: 1,
    maximum: 100,
    description: 'Memory utilisation that autoscaling aims for, in percent of resource_spec.memory_limit_mb',
  }),
  SLIPWAY_SCALE_DOWN_SECONDS: seconds(
    'Time that fewer replicas must have been enough before scaling down',
    1_800,
    { minimum: 0 },
  ),
  SLIPWAY_SLEEP_SECONDS: seconds('Idle time before a scale-to-zero deployment sleeps', 900),
  SLIPWAY_TENANT_DEPLOYMENTS: Type.Integer({
    default: 1_000,
    minimum: 0,
    description: 'Deployments a tenant may have',
  }),
  SLIPWAY_OIDC_ISSUER: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'OpenID Connect issuer whose bearer tokens are accepted (`iss`)',
    }),
  ),
  SLIPWAY_OIDC_AUDIENCE: Type.String({
    default: 'slipway',
    description: 'Required audience of bearer tokens (`aud`)',
  }),
  SLIPWAY_OIDC_JWKS_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: "URL of the issuer's keys; defaults to the one in its OpenID configuration",
    }),
  ),
  SLIPWAY_OIDC_TENANT_CLAIM: Type.String({
    default: 'tenant_id',
    description: 'Claim that holds the tenant or tenants',
  }),
  SLIPWAY_OIDC_ROLE_CLAIM: Type.String({
    default: 'role',
    description: 'Claim that holds the roles: viewer, deployer, admin. A token without one can only read',
  }),
  SLIPWAY_OIDC_GROUP_CLAIM: Type.String({ default: 'groups', description: 'Claim that holds the groups' }),
  SLIPWAY_OIDC_GROUPS: text(
    'Tenant and role of each group, as JSON: {"<group>": {"tenant_id": "…", "role": "…"}}',
  ),
  SLIPWAY_OIDC_CLIENT_ID: text('OpenID Connect client id for signing in to the console'),
  SLIPWAY_OIDC_CLIENT_SECRET: text('Its client secret; unset for a public client'),
  SLIPWAY_OIDC_SCOPE: Type.String({
    default: 'openid email profile',
    description: 'Scopes requested at sign-in',
  }),
  SLIPWAY_SESSION_SECONDS: seconds('Lifetime of a console session', 43_200),
  SLIPWAY_TEMPORAL_UI_URL: text(
    'URL of the Temporal UI that the console links to; defaults to the embedded one',
    {
      pattern: '^https?://',
    },
  ),
  SLIPWAY_REGISTRY_URL: Type.Optional(
    Type.String({
      pattern: '^[^/\\s]+(/[^\\s]*)?$',
      description: 'External registry for pushed images, as host:port/path; unset uses the built-in one',
    }),
  ),
  SLIPWAY_REGISTRY_USERNAME: Type.String({
    default: 'slipway',
    description: 'User name for the external registry',
  }),
  SLIPWAY_REGISTRY_PASSWORD: Type.Optional(
    Type.String({ description: 'Password for the external registry; clients get it as their push token' }),
  ),
  SLIPWAY_PUSH_TOKEN_SECONDS: seconds('Lifetime of a push token', 900),
  SLIPWAY_REGISTRY_LAYER_LIMIT_BYTES: bytes('Largest image layer', 10_737_418_240),
  SLIPWAY_REGISTRY_LIMIT_BYTES: bytes('Storage limit for the images of a deployment', 53_687_091_200),
  SLIPWAY_RECEIVE_SECONDS: seconds('Time limit for receiving an upload', 3_600),
  SLIPWAY_RECEIVE_UNKNOWN_SECONDS: seconds(
    'Time limit for receiving a body from an unauthenticated caller (public agents only ask for 1 kB/s)',
    20,
  ),
  SLIPWAY_INTEGRATIONS: Type.Optional(
    Type.String({
      description: 'Git hosts and repositories to choose from, as JSON; see docs/control-plane-api.md',
    }),
  ),
});
export type ControlPlaneSettings = Static<typeof ControlPlaneSettings>;
