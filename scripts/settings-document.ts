import type { TProperties } from 'typebox';
import { AgentSettings } from '../src/agent-server/agent-settings.ts';
import { ControlPlaneSettings } from '../src/control-plane/control-plane-settings.ts';
import { ClientSettings } from '../src/deploy-client/client-settings.ts';
import { serviceSettings } from '../src/platform/service-settings.ts';
import { TracingSettings } from '../src/tracing/tracing-settings.ts';

interface Setting {
  default?: string | number | boolean;
  description: string;
}

interface Section {
  title: string;
  intro?: string;
  settings: [string, Setting][];
}

function namesIn(list: string): string[] {
  return list.trim().split(/\s+/);
}

/** Internal tunables, whose defaults suit almost everyone. */
const ADVANCED: ReadonlySet<string> = new Set(
  namesIn(`
  SLIPWAY_SWEEP_SECONDS SLIPWAY_TEMPORAL_DEADLINE_SECONDS SLIPWAY_HTTP_KEEP_ALIVE_SECONDS
  SLIPWAY_STATEMENT_TIMEOUT_SECONDS SLIPWAY_TASK_QUEUE SLIPWAY_GATEWAY_TOKEN
  SLIPWAY_HOST_BLOCKED_SECONDS SLIPWAY_HOST_PROJECT SLIPWAY_HOST_PREFIX SLIPWAY_CACHED_WORKFLOWS
  SLIPWAY_HEARTBEAT_TIMEOUT_SECONDS SLIPWAY_THREAD_LINGER_SECONDS SLIPWAY_LEAVE_SECONDS
  SLIPWAY_ANSWER_SECONDS SLIPWAY_WEBHOOK_CONCURRENCY SLIPWAY_KEEP_ALIVE_SECONDS
  SLIPWAY_EVENT_LIMIT_BYTES SLIPWAY_READER_LIMIT_BYTES SLIPWAY_GATEWAY_HOLD_SECONDS
  SLIPWAY_GATEWAY_REPEATS SLIPWAY_GATEWAY_REPEAT_BYTES SLIPWAY_GIT_EVENT_LIMIT_BYTES
  SLIPWAY_GIT_EVENT_SECONDS SLIPWAY_UPLOAD_SECONDS SLIPWAY_PICKUP_TIMEOUT_SECONDS
  SLIPWAY_ARTIFACT_URL_SECONDS SLIPWAY_REGISTRY_HELPER_SECONDS SLIPWAY_TRAFFIC_FLUSH_SECONDS
  SLIPWAY_TRAFFIC_DAYS SLIPWAY_CANARY_CHECK_SECONDS SLIPWAY_SCALE_SECONDS SLIPWAY_PUSH_TOKEN_SECONDS
  SLIPWAY_RECEIVE_SECONDS SLIPWAY_RECEIVE_UNKNOWN_SECONDS SLIPWAY_TRACE_BATCH_RUNS
  SLIPWAY_TRACE_BATCH_BYTES SLIPWAY_TRACE_BODY_BYTES SLIPWAY_TRACE_OTLP_SPANS
  SLIPWAY_TRACE_ORPHAN_SECONDS SLIPWAY_TRACE_QUEUE_BYTES SLIPWAY_USAGE_SWEEP_SECONDS
  SLIPWAY_TRACE_LINK_SECONDS SLIPWAY_TRACE_FOLD_SECONDS SLIPWAY_TRACE_SEARCH_RUNS
  SLIPWAY_TRACE_OPEN_RUNS SLIPWAY_TRACE_PAGE_BYTES SLIPWAY_RATE_LIMIT_PROCESSES SLIPWAY_MODEL_PRICES
`),
);

/** Sections of the platform's settings, by name; the first match counts. */
const PLATFORM_SECTIONS: [string, RegExp][] = [
  ['Signing in', /OIDC|SESSION/],
  ['Image registry', /REGISTRY|PUSH_TOKEN/],
  ['Network of agents and builds', /FENCE|WEBHOOK_PRIVATE/],
  ['Where agents run', /DRIVER|DOCKER|KUBE|AGENT_MEMORY|ARTIFACT_URL/],
  ['Scaling', /SCALE|REPLICAS|SLEEP/],
  ['Canaries and cutover', /CANARY|DRAIN|ANSWER|TRAFFIC|APPROVAL/],
  ['Git sources and previews', /_GIT_|PREVIEW|INTEGRATIONS/],
  [
    'Builds and deployments',
    /BUILD|UPLOAD|SOURCE|ARTIFACT|PICKUP|DEPLOY_TIMEOUT|TENANT_DEPLOYMENTS|LOG_DAYS/,
  ],
  ['Platform', /./],
];

const settingsOf = (properties: TProperties): [string, Setting][] =>
  Object.entries(properties) as unknown as [string, Setting][];

function sections(): Section[] {
  const own = (properties: TProperties) =>
    settingsOf(properties).filter(([name]) => !(name in serviceSettings));
  const platform = own(ControlPlaneSettings.properties);
  const sectionOf = (name: string) => PLATFORM_SECTIONS.find(([, pattern]) => pattern.test(name))![0];
  return [
    {
      title: 'Every service',
      intro: 'Read by the agent server and the platform. `PORT` is 8080 for the platform.',
      settings: [...settingsOf(serviceSettings), ...settingsOf({ PORT: AgentSettings.properties.PORT })],
    },
    {
      title: 'Agent server',
      intro: 'Read by `slipway serve`. The platform sets them for agents it deploys.',
      settings: own(AgentSettings.properties).filter(([name]) => name !== 'PORT'),
    },
    ...PLATFORM_SECTIONS.map(([title]) => title)
      .toReversed()
      .map((title) => ({ title, settings: platform.filter(([name]) => sectionOf(name) === title) })),
    { title: 'Tracing', settings: own(TracingSettings.properties) },
    {
      title: 'Commands',
      intro: 'Read by `slipway deploy` and the other commands that call a platform. Options win over them.',
      settings: settingsOf(ClientSettings.properties),
    },
  ];
}

function settingRow([name, { default: value, description }]: [string, Setting]): string {
  return `| \`${name}\` | ${value === undefined ? '' : `\`${String(value)}\``} | ${description} |`;
}

function table(settings: [string, Setting][]): string {
  return ['| Variable | Default | Meaning |', '|---|---|---|', ...settings.map(settingRow)].join('\n');
}

function sectionText({ title, intro, settings }: Section): string {
  const usual = settings.filter(([name]) => !ADVANCED.has(name));
  const advanced = settings.filter(([name]) => ADVANCED.has(name));
  return [
    `## ${title}`,
    intro,
    usual.length > 0 && table(usual),
    advanced.length > 0 && `**Advanced**\n\n${table(advanced)}`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** The settings that the README shows. */
const MAIN = namesIn(`
  DATABASE_URL TEMPORAL_ADDRESS HOST PORT SLIPWAY_DATA_DIR SLIPWAY_PUBLIC_URL SLIPWAY_API_KEY
  SLIPWAY_SECRET_KEY SLIPWAY_OIDC_ISSUER SLIPWAY_DRIVER SLIPWAY_FENCE_ALLOW SLIPWAY_CONCURRENCY
  SLIPWAY_TRACE_RETENTION_DAYS SLIPWAY_RATE_LIMITS SLIPWAY_LOG_LEVEL
`);

const README_TABLE = /(<!-- settings -->\n)[^]*?(\n<!-- \/settings -->)/;

/** The README with an updated table of settings. */
export function readmeWithSettings(readme: string): string {
  const all = sections().flatMap(({ settings }) => settings);
  const main = MAIN.map((name) => all.find(([found]) => found === name)!);
  return readme.replace(README_TABLE, (_, start: string, end: string) => `${start}${table(main)}${end}`);
}

/** The text of docs/settings.md. */
export function settingsDocument(): string {
  return `# Settings

Settings are environment variables, read once at the start. A wrong one stops the process with a line that names it and says
why. The [README](../README.md#settings) lists the ones that matter first; *advanced* ones tune the implementation, and their
defaults suit almost everyone.

<!-- Written by \`npm run docs:settings\`; edit the descriptions in the schemas. -->

${sections().map(sectionText).join('\n\n')}
`;
}
