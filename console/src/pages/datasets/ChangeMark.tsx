import classes from './ComparedExamples.module.css';
import type { Change } from './scores.ts';

/** How it stands to the first experiment: an arrow, and a word. Nothing where it is the same. */
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
