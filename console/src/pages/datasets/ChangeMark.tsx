import classes from './ComparedExamples.module.css';
import type { Change } from './scores.ts';

/** Arrow and label for the difference from the first experiment; empty if equal. */
export const ChangeMark = ({
  change,
  words: [better, worse],
}: {
  change: Change | undefined;
  words: [better: string, worse: string];
}) =>
  change === 'better' || change === 'worse' ? (
    <>
      {' '}
      <span className={classes.change} data-change={change}>
        <span aria-hidden="true">{change === 'better' ? '▲' : '▼'}</span>{' '}
        {change === 'better' ? better : worse}
      </span>
    </>
  ) : null;
