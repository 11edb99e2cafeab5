const MAX_LENGTH = 10_000;

/** SQL `like` without escapes, on the beginning of a text. Backtracks at most to the last `%`. */
export function isLike(whole: string, pattern: string): boolean {
  const text = whole.slice(0, MAX_LENGTH);
  let at = 0;
  let here = 0;
  let star = -1;
  let mark = 0;
  while (at < text.length) {
    if (pattern[here] === '%') {
      star = here++;
      mark = at;
    } else if (here < pattern.length && (pattern[here] === '_' || pattern[here] === text[at])) {
      here++;
      at++;
    } else if (star >= 0) {
      here = star + 1;
      at = ++mark;
    } else return false;
  }
  return /^%*$/.test(pattern.slice(here));
}
