import picomatch from 'picomatch';

const SKIP_MARKER = /\[(?:skip ci|ci skip|no ci|skip slipway)\]/i;

/** Whether the commit message asks to skip the build. */
export const asksToSkip = (message: string): boolean => SKIP_MARKER.test(message);

/**
 * Whether one of these paths is watched. Patterns work as in .gitignore: the last match wins and `!` excludes. No
 * patterns watch everything.
 */
export function watches(patterns: string[], paths: string[]): boolean {
  const rules = patterns.filter((pattern) => pattern.trim() !== '').map(ruleOf);
  if (rules.length === 0) return true;
  // If all patterns exclude, everything else is watched.
  const otherwise = rules.every(({ takesOut }) => takesOut);
  return paths.some((path) => {
    const last = rules.findLast(({ matches }) => matches(path));
    return last ? !last.takesOut : otherwise;
  });
}

function ruleOf(pattern: string): { takesOut: boolean; matches(path: string): boolean } {
  const takesOut = pattern.startsWith('!');
  const text = pattern.trim().replace(/^!/, '').replace(/\/+$/, '');
  const rooted = text.replace(/^\.?\/+/, '');
  const anywhere = !text.includes('/');
  const globs = anywhere ? [`**/${rooted}`, `**/${rooted}/**`] : [rooted, `${rooted}/**`];
  return { takesOut, matches: picomatch(globs, { dot: true, nonegate: true, noextglob: true }) };
}
