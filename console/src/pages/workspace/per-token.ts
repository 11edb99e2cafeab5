const ZEROS = 6;

/** Dollars for one token, of those for a million, as text: the point is moved, nothing is rounded. */
export function perToken(perMillion: string): string {
  const [, whole, part = ''] = /^(\d*)(?:\.(\d*))?$/.exec(perMillion.trim()) ?? [];
  // What is no number, the server refuses in its own words.
  if (whole === undefined || whole + part === '') return perMillion.trim() || '-1';
  const digits = whole.padStart(ZEROS + 1, '0');
  return `${digits.slice(0, -ZEROS)}.${digits.slice(-ZEROS)}${part}`;
}
