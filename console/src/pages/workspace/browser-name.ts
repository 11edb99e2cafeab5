const NAMES: [pattern: RegExp, name: string][] = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: [pattern: RegExp, name: string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** A name such as `Firefox on Linux`; unknown browsers keep their user agent. */
export function browserName(userAgent: string | null): string {
  if (!userAgent) return '–';
  const of = (list: typeof NAMES) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [of(NAMES), of(SYSTEMS)];
  if (!browser) return userAgent.split(' ', 1)[0]!.slice(0, 40);
  return system ? `${browser} on ${system}` : browser;
}
