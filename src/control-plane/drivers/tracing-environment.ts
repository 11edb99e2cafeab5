import type { Destination } from '../fence/destinations.ts';
import { addressesOf } from '../fence/service-addresses.ts';
import { ensureTracingKey } from '../access/tracing-key.ts';
import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import type { Secret } from '../secrets/environment.ts';
import type { DriverOptions } from './driver-options.ts';

const PREFIXES = ['LANGSMITH', 'LANGCHAIN'];
// Clients trace when any of them says so: one that says no would not be heard beside ours.
const SWITCHES = /^LANG(?:SMITH|CHAIN)_TRACING(?:_V2)?$/;

/** Address agents log their runs to. */
export const tracingAddress = (config: ControlPlaneSettings): string =>
  config.SLIPWAY_TRACE_URL ??
  (config.SLIPWAY_DRIVER === 'kubernetes' ? config.SLIPWAY_KUBERNETES_PLATFORM_URL : undefined) ??
  config.SLIPWAY_PUBLIC_URL;

/**
 * What makes an agent's clients log its runs here, in a project named after its deployment. Whatever the deployment's
 * own environment says of tracing counts instead.
 */
export async function tracingEnvironment(
  { config, db, box }: Pick<DriverOptions, 'config' | 'db' | 'box'>,
  deploymentId: string,
  environment: Secret[],
): Promise<Record<string, string>> {
  if (!config.SLIPWAY_TRACE_AGENTS) return {};
  const own = new Set(environment.map(({ name }) => name));
  const found = await ensureTracingKey({ db, box }, deploymentId);
  if (!found || [...own].some((name) => SWITCHES.test(name))) return {};
  const told = {
    TRACING: 'true',
    TRACING_V2: 'true',
    ENDPOINT: tracingAddress(config),
    API_KEY: found.key,
    PROJECT: found.project,
  };
  const isOwn = (name: string) => PREFIXES.some((prefix) => own.has(`${prefix}_${name}`));
  const variables = Object.fromEntries(
    Object.entries(told).flatMap(([name, value]) =>
      isOwn(name) ? [] : PREFIXES.map((prefix) => [`${prefix}_${name}`, value]),
    ),
  );
  // People give feedback where they reach the platform, which may be another address than agents do.
  if (!isOwn('ENDPOINT') && !isOwn('API_KEY')) variables['SLIPWAY_FEEDBACK_URL'] = config.SLIPWAY_PUBLIC_URL;
  return variables;
}

const HTTP_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 };

/** Where the platform takes runs that agents log. */
export async function tracingAddresses(variables: Record<string, string>): Promise<Destination[]> {
  const endpoint = PREFIXES.map((prefix) => variables[`${prefix}_ENDPOINT`]).find(Boolean);
  return endpoint ? addressesOf(endpoint, HTTP_PORTS[new URL(endpoint).protocol] ?? 443) : [];
}
