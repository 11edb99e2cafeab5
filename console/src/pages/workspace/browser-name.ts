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

/** `Firefox on Linux`; whatever it says of itself where that is not known. */
export function browserName(userAgent: string | null): string {
  if (!userAgent) return '–';
  const of = (list: typeof NAMES) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [of(NAMES), of(SYSTEMS)];
  if (!browser) return userAgent.split(' ', 1)[0]!.slice(0, 40);
  return system ? `${browser} on ${system}` : browser;
}
