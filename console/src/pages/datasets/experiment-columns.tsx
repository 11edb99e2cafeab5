import { Anchor, Checkbox } from '@mantine/core';
import { Link } from 'react-router';
import type { Experiment, KeyStats } from '../../api/tracing-records.ts';
import { Cost } from '../../parts/Cost.tsx';
import type { Column } from '../../parts/DataTable.tsx';
import { Duration } from '../../parts/Duration.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { Count, milliseconds, Share } from '../traces/numbers.tsx';
import { ChangeMark } from './ChangeMark.tsx';
import classes from './datasets.module.css';
import { changeOf, scoreText } from './scores.ts';

/** Feedback for a key on the experiment's runs, or on the experiment itself. */
const feedbackOf = (
  { feedback_stats, session_feedback_stats }: Experiment,
  key: string,
): KeyStats | undefined => feedback_stats[key] ?? session_feedback_stats[key];

/** All feedback keys of the experiments, sorted. */
export const feedbackKeys = (experiments: Experiment[]): string[] =>
  [
    ...new Set(
      experiments.flatMap(({ feedback_stats, session_feedback_stats }) =>
        Object.keys({ ...feedback_stats, ...session_feedback_stats }),
      ),
    ),
  ].toSorted();

export interface ExperimentTable {
  linkOf?: (experiment: Experiment) => string;
  /** Makes rows selectable. */
  choice?: { chosen: string[]; onChoose: (ids: string[]) => void };
  /** Baseline for the means, and the keys for which lower is better. */
  against?: { first: Experiment | undefined; lowerIsBetter: string[] };
}

/** Columns of experiment tables, with the mean of each feedback key. */
export const experimentColumns = (
  experiments: Experiment[],
  { linkOf, choice, against }: ExperimentTable = {},
): Column<Experiment>[] => [
  {
    id: 'name',
    header: 'Experiment',
    sortBy: ({ name }) => name,
    cell: (experiment) => (
      <div className={classes.experiment}>
        {choice && <Choice experiment={experiment} {...choice} />}
        {linkOf ? (
          <Anchor component={Link} to={linkOf(experiment)} fw={550}>
            {experiment.name}
          </Anchor>
        ) : (
          experiment.name
        )}
      </div>
    ),
  },
  ...feedbackKeys(experiments).map((key): Column<Experiment> => ({
    id: `feedback.${key}`,
    header: key,
    align: 'right',
    sortBy: (experiment) => feedbackOf(experiment, key)?.avg ?? null,
    cell: (experiment) => (
      <span className="numeric">
        {scoreText(feedbackOf(experiment, key)?.avg)}
        {against?.first && (
          <ChangeMark
            change={changeOf(
              feedbackOf(against.first, key)?.avg,
              feedbackOf(experiment, key)?.avg,
              against.lowerIsBetter.includes(key),
            )}
            words={['better', 'worse']}
          />
        )}
      </span>
    ),
  })),
  {
    id: 'runs',
    header: 'Runs',
    align: 'right',
    width: '70px',
    wideOnly: true,
    sortBy: ({ run_count }) => run_count,
    cell: ({ run_count }) => <Count value={run_count} />,
  },
  {
    id: 'errors',
    header: 'Errors',
    align: 'right',
    width: '76px',
    wideOnly: true,
    sortBy: ({ error_rate }) => error_rate,
    cell: ({ error_rate }) => <Share value={error_rate} isBad />,
  },
  ...(['p50', 'p99'] as const).map((share): Column<Experiment> => ({
    id: share,
    header: share,
    align: 'right',
    width: '84px',
    wideOnly: true,
    sortBy: (experiment) => experiment[`latency_${share}`],
    cell: (experiment) => <Duration ms={milliseconds(experiment[`latency_${share}`])} />,
  })),
  {
    id: 'tokens',
    header: 'Tokens',
    align: 'right',
    width: '84px',
    wideOnly: true,
    sortBy: ({ total_tokens }) => total_tokens,
    cell: ({ total_tokens }) => <Count value={total_tokens} />,
  },
  {
    id: 'cost',
    header: 'Cost',
    align: 'right',
    width: '84px',
    wideOnly: true,
    sortBy: ({ total_cost }) => (total_cost ? Number(total_cost) : null),
    cell: ({ total_cost }) => <Cost usd={total_cost} />,
  },
  {
    id: 'when',
    header: 'Started',
    align: 'right',
    width: '116px',
    sortBy: ({ start_time }) => start_time,
    cell: ({ start_time }) => <TimeText at={start_time} />,
  },
];

const Choice = ({
  experiment: { id, name },
  chosen,
  onChoose,
}: { experiment: Experiment } & NonNullable<ExperimentTable['choice']>) => (
  <Checkbox
    size="xs"
    aria-label={`Choose ${name}`}
    checked={chosen.includes(id)}
    onChange={() => onChoose(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])}
  />
);
