/** An exact decimal: `digits` / 10^`scale`. Avoids floats for money. */
export interface Decimal {
  digits: bigint;
  scale: number;
}

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i;
const MAX_LENGTH = 60;

export const ZERO: Decimal = { digits: 0n, scale: 0 };

/** Parses a number or its text, with or without exponent. Undefined if invalid or longer than 60 digits. */
export function readDecimal(value: unknown): Decimal | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const text = String(value).trim();
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    NUMBER.exec(text.slice(0, 2 * MAX_LENGTH)) ?? [];
  if (text.length > 2 * MAX_LENGTH || sign === undefined || whole + fraction === '') return undefined;
  const scale = fraction.length - Number(exponent);
  if (whole.length + fraction.length > MAX_LENGTH || Math.abs(scale) > MAX_LENGTH) return undefined;
  const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

export function add(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale);
  return { digits: at(one, scale) + at(other, scale), scale };
}

export const times = ({ digits, scale }: Decimal, count: number): Decimal => ({
  digits: digits * BigInt(count),
  scale,
});

/** Divides by 10^`places`. */
export const shifted = ({ digits, scale }: Decimal, places: number): Decimal => ({
  digits,
  scale: scale + places,
});

const at = ({ digits, scale }: Decimal, wanted: number): bigint => digits * 10n ** BigInt(wanted - scale);

/** Formats money for clients: no exponent, no trailing zeros. */
export function writeDecimal({ digits, scale }: Decimal): string {
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const fraction = text.slice(text.length - scale).replace(/0+$/, '');
  return `${digits < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}
