/** `340 ms`, `2.4 s`, `3 min 12 s`, `2 h 5 min`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) {
    const seconds = Math.floor((ms % 60_000) / 1_000);
    return seconds ? `${minutes} min ${seconds} s` : `${minutes} min`;
  }
  const rest = minutes % 60;
  return rest ? `${Math.floor(minutes / 60)} h ${rest} min` : `${Math.floor(minutes / 60)} h`;
}

/** A duration in ms; null shows a dash. */
export const Duration = ({ ms }: { ms: number | null | undefined }) => (
  <span className="numeric" style={{ whiteSpace: 'nowrap' }}>
    {ms === null || ms === undefined ? '–' : durationText(ms)}
  </span>
);
