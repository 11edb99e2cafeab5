import type { Destination } from '../fence/destinations.ts';
import { addressesOf } from '../fence/service-addresses.ts';
import { ensureTracingKey } from '../access/tracing-key.ts';
import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import type { Secret } from '../secrets/environment.ts';
import type { DriverOptions } from './driver-options.ts';

const PREFIXES = ['LANGSMITH', 'LANGCHAIN'];
// Clients trace if any of these is true, so ours would override one that the deployment sets to false.
const SWITCHES = /^LANG(?:SMITH|CHAIN)_TRACING(?:_V2)?$/;

/** URL that agents send traces to. */
export const tracingAddress = (config: ControlPlaneSettings): string =>
  config.SLIPWAY_TRACE_URL ??
  (config.SLIPWAY_DRIVER === 'kubernetes' ? config.SLIPWAY_KUBERNETES_PLATFORM_URL : undefined) ??
  config.SLIPWAY_PUBLIC_URL;

/**
 * Variables that make an agent's clients trace to this platform, to a project named after the deployment. The
 * deployment's own tracing variables take precedence.
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
  const values = {
    TRACING: 'true',
    TRACING_V2: 'true',
    ENDPOINT: tracingAddress(config),
    API_KEY: found.key,
    PROJECT: found.project,
  };
  const isOwn = (name: string) => PREFIXES.some((prefix) => own.has(`${prefix}_${name}`));
  const variables = Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      isOwn(name) ? [] : PREFIXES.map((prefix) => [`${prefix}_${name}`, value]),
    ),
  );
  // Feedback URLs are for people, who may reach the platform at another URL than agents.
  if (!isOwn('ENDPOINT') && !isOwn('API_KEY')) variables['SLIPWAY_FEEDBACK_URL'] = config.SLIPWAY_PUBLIC_URL;
  return variables;
}

/** Addresses that agents must reach to send traces. */
export async function tracingAddresses(variables: Record<string, string>): Promise<Destination[]> {
  const endpoint = PREFIXES.map((prefix) => variables[`${prefix}_ENDPOINT`]).find(Boolean);
  return endpoint ? addressesOf(endpoint) : [];
}
