import { InvalidSetting } from '../../platform/settings.ts';
import type { TracingSettings } from '../tracing-settings.ts';
import { INGEST_ROWS, LIMIT_ROWS } from './limit-rows.ts';

export interface Limit {
  count: number;
  /** Seconds. */
  interval: number;
}

// Factor for self-hosted servers, whose limits only protect against overload.
const GENEROUS = 1_000;
const MAX_INGEST_SECONDS = 10;
const WRITTEN = /^\s*([1-9]\d{0,8})\s*\/\s*([1-9]\d{0,5})\s*$/;
const NAME = 'SLIPWAY_RATE_LIMIT_OVERRIDES';

/** Limits by row id; unlimited rows are missing. Throws InvalidSetting. */
export function limitsOf(config: TracingSettings): Map<string, Limit> {
  const { SLIPWAY_RATE_LIMITS: profile, SLIPWAY_REGION: region } = config;
  const limits = new Map<string, Limit>();
  if (profile === 'off') return limits;
  for (const { id, limit } of LIMIT_ROWS) {
    const { count, interval } = readLimit(typeof limit === 'string' ? limit : limit[region])!;
    limits.set(id, { count: profile === 'generous' ? count * GENEROUS : count, interval });
  }
  for (const [id, text] of Object.entries(readOverrides(config.SLIPWAY_RATE_LIMIT_OVERRIDES))) {
    if (!limits.has(id)) throw new InvalidSetting(`${NAME}: unknown row ${id}`);
    const limit = readLimit(text);
    if (text === 'off') limits.delete(id);
    else if (!limit) throw new InvalidSetting(`${NAME}: ${id} must be count/seconds, such as 15/10, or off`);
    else if (INGEST_ROWS.has(id) && limit.interval > MAX_INGEST_SECONDS)
      throw new InvalidSetting(
        `${NAME}: the window of ${id} may be at most ${MAX_INGEST_SECONDS} seconds, because clients drop runs that wait longer`,
      );
    else limits.set(id, limit);
  }
  return limits;
}

function readLimit(text: unknown): Limit | undefined {
  const [, count, interval] = WRITTEN.exec(String(text)) ?? [];
  return count && interval ? { count: Number(count), interval: Number(interval) } : undefined;
}

function readOverrides(text: string | undefined): Record<string, unknown> {
  if (!text) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {}
  throw new InvalidSetting(`${NAME} must be a JSON object, such as {"query-key": "50/10"}`);
}
