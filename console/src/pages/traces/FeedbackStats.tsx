import type { KeyStats } from '../../api/tracing-records.ts';

const SCORE = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

/** The mean score, or the most frequent value. */
const valueOf = ({ avg, values, n }: KeyStats): string => {
  if (avg !== null) return SCORE.format(avg);
  const [most] = Object.entries(values).sort(([, one], [, other]) => other - one);
  return most?.[0] ?? `${n}×`;
};

/** Feedback on a run in one line: `user_score 0.5`. */
export function FeedbackStats({ stats }: { stats: Record<string, KeyStats> }) {
  const entries = Object.entries(stats);
  if (entries.length === 0) return <span>–</span>;
  const text = entries.map(([key, one]) => `${key} ${valueOf(one)}`).join(', ');
  return (
    <div
      className="truncate numeric"
      style={{ maxWidth: 110, fontSize: 'var(--mantine-font-size-sm)' }}
      title={text}
    >
      {text}
    </div>
  );
}
