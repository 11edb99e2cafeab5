const ZEROS = 6;

/** Converts dollars per million tokens to dollars per token by moving the decimal point, without rounding. */
export function perToken(perMillion: string): string {
  const [, whole, part = ''] = /^(\d*)(?:\.(\d*))?$/.exec(perMillion.trim()) ?? [];
  // Leaves invalid numbers for the server to reject.
  if (whole === undefined || whole + part === '') return perMillion.trim() || '-1';
  const digits = whole.padStart(ZEROS + 1, '0');
  return `${digits.slice(0, -ZEROS)}.${digits.slice(-ZEROS)}${part}`;
}
