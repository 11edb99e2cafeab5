const ISO = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i;
// The latest time that both Postgres timestamps and JavaScript dates can hold.
const LATEST_MS = 253_402_300_799_999;

/**
 * Parses a time as clients send it: ISO 8601 (UTC without a zone), or milliseconds since 1970 (contract §1.3).
 * Returns ISO 8601 in UTC with microseconds; undefined if invalid.
 */
export function readTime(value: unknown): string | undefined {
  if (typeof value === 'number') return fromMs(value);
  if (typeof value !== 'string') return undefined;
  const [, date, time, fraction = '', zone = 'Z'] = ISO.exec(value.trim()) ?? [];
  if (!date) return undefined;
  const whole = fromMs(Date.parse(`${date}T${time}${zone.length === 3 ? `${zone}:00` : zone}`));
  return whole?.replace('.000000Z', `.${fraction.slice(0, 6).padEnd(6, '0')}Z`);
}

function fromMs(ms: number): string | undefined {
  if (!Number.isFinite(ms) || Math.abs(ms) > LATEST_MS) return undefined;
  const micros = Math.round((ms % 1) * 1000);
  const iso = new Date(Math.floor(ms)).toISOString();
  return /^(?:[-+]|0000)/.test(iso)
    ? undefined
    : iso.replace('Z', `${String(Math.max(micros, 0)).padStart(3, '0')}Z`);
}

/** Monday of the week as `YYYY-MM-DD`, the partition key. */
export function weekOf(time: string): string {
  const day = new Date(`${time.slice(0, 10)}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}
