import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import type { RunSummary } from '../../api/tracing-records.ts';
import { Cost } from '../../parts/Cost.tsx';
import type { Column } from '../../parts/DataTable.tsx';
import { Duration } from '../../parts/Duration.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { FeedbackStats } from './FeedbackStats.tsx';
import { between, Count } from './numbers.tsx';
import { RunMark } from './RunMark.tsx';
import classes from './run-columns.module.css';

/** Path of a run within its trace. */
export const runPath = ({ session_id, trace_id, id, parent_run_id }: RunPlace): string =>
  `/traces/${session_id}/${trace_id}${parent_run_id === null ? '' : `?run=${id}`}`;
type RunPlace = Pick<RunSummary, 'session_id' | 'trace_id' | 'id' | 'parent_run_id'>;

export const RUN_COLUMNS: Column<RunSummary>[] = [
  {
    id: 'name',
    header: 'Run',
    cell: (run) => (
      <div className={classes.name}>
        <RunMark type={run.run_type} status={run.status} />
        <Anchor component={Link} to={runPath(run)} fw={550} className="truncate">
          {run.name}
        </Anchor>
      </div>
    ),
  },
  { id: 'input', header: 'Input', wideOnly: true, cell: ({ inputs_preview }) => preview(inputs_preview) },
  {
    id: 'output',
    header: 'Output',
    wideOnly: true,
    cell: ({ error, outputs_preview }) =>
      error ? <div className={classes.error}>{error.split('\n', 1)[0]}</div> : preview(outputs_preview),
  },
  {
    id: 'latency',
    header: 'Latency',
    align: 'right',
    width: '82px',
    cell: ({ start_time, end_time }) => <Duration ms={between(start_time, end_time)} />,
  },
  {
    id: 'first_token',
    header: '1st token',
    align: 'right',
    width: '84px',
    wideOnly: true,
    cell: ({ start_time, first_token_time }) => <Duration ms={between(start_time, first_token_time)} />,
  },
  {
    id: 'tokens',
    header: 'Tokens',
    align: 'right',
    width: '76px',
    wideOnly: true,
    cell: ({ total_tokens }) => <Count value={total_tokens} />,
  },
  {
    id: 'cost',
    header: 'Cost',
    align: 'right',
    width: '80px',
    wideOnly: true,
    cell: ({ total_cost }) => <Cost usd={total_cost} />,
  },
  {
    id: 'feedback',
    header: 'Feedback',
    width: '96px',
    wideOnly: true,
    cell: ({ feedback_stats }) => <FeedbackStats stats={feedback_stats} />,
  },
  {
    id: 'tags',
    header: 'Tags',
    width: '96px',
    wideOnly: true,
    cell: ({ tags }) => (
      <div className={classes.tags} title={tags.join(', ')}>
        {tags.join(', ') || '–'}
      </div>
    ),
  },
  {
    id: 'started',
    header: 'Started',
    align: 'right',
    width: '104px',
    cell: ({ start_time }) => <TimeText at={start_time} />,
  },
];

const preview = (text: string | null) =>
  text ? (
    <div className={classes.preview} title={text.slice(0, 500)}>
      {text.slice(0, 200)}
    </div>
  ) : (
    '–'
  );
