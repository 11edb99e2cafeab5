import { Misused } from './outcome.ts';

const MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses `90s`, `15m`, `1h`, or seconds without a unit, to ms. Throws Misused. */
export function readDuration(text: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim()) ?? [];
  if (!amount) throw new Misused(`'${text}' is not a duration such as 90s, 15m or 1h`);
  return Number(amount) * MS[unit]!;
}
