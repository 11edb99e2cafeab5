import { Anchor } from '@mantine/core';
import type { Ref } from 'react';
import { Link } from 'react-router';
import type { ComparedExample } from '../../api/tracing-experiments.ts';
import type { Experiment, RunSummary } from '../../api/tracing-records.ts';
import { Cost } from '../../parts/Cost.tsx';
import { durationText } from '../../parts/Duration.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { between, countText } from '../traces/numbers.tsx';
import { runPath } from '../traces/run-columns.tsx';
import { brief } from './brief.ts';
import classes from './ComparedExamples.module.css';
import { exampleName } from './example-columns.tsx';
import { ChangeMark } from './ChangeMark.tsx';
import { changeOf, latencyChange, mean, type FeedbackSummary, summariesOf } from './scores.ts';

/** An example with one cell per experiment. */
export function ComparedRow({
  ref,
  index,
  example,
  experiments,
  lowerIsBetter,
  onOpen,
}: {
  ref: Ref<HTMLTableRowElement>;
  index: number;
  example: ComparedExample;
  experiments: Experiment[];
  lowerIsBetter: string[];
  onOpen: (id: string) => void;
}) {
  const runsOf = ({ id }: Experiment) => example.runs.filter(({ session_id }) => session_id === id);
  const first = runsOf(experiments[0]!);
  return (
    <tr ref={ref} data-index={index} aria-rowindex={index + 2}>
      <th scope="row">
        <button type="button" className={classes.open} onClick={() => onOpen(example.id)}>
          {exampleName(example.id)}
          <span className="visually-hidden">, whole</span>
        </button>
        <div className={classes.text}>{brief(example.inputs)}</div>
      </th>
      <td data-label="Reference outputs">
        <div className={classes.text}>{brief(example.outputs) || '–'}</div>
      </td>
      {experiments.map((experiment, place) => (
        <td key={experiment.id} data-label={experiment.name}>
          <Outcome
            runs={runsOf(experiment)}
            first={place > 0 ? first : undefined}
            lowerIsBetter={lowerIsBetter}
          />
        </td>
      ))}
    </tr>
  );
}

const latencyOf = (runs: RunSummary[]): number | null =>
  mean(runs.flatMap(({ start_time, end_time }) => between(start_time, end_time) ?? []));

/** Result of an experiment for the example: its first run, and scores of all runs. */
function Outcome({
  runs,
  first,
  lowerIsBetter,
}: {
  runs: RunSummary[];
  /** Runs of the baseline experiment. */
  first: RunSummary[] | undefined;
  lowerIsBetter: string[];
}) {
  const [run] = runs;
  if (!run) return <span className={classes.none}>not run</span>;
  const before = new Map(summariesOf(first ?? []).map((summary) => [summary.key, summary.score]));
  const latency = latencyOf(runs);
  return (
    <>
      <Anchor component={Link} to={runPath(run)} className={classes.output}>
        {run.error ? (
          <span className={classes.error}>
            <Icon name="warning" size={12} /> {run.error.split('\n', 1)[0]}
          </span>
        ) : (
          <span className={classes.text}>{run.outputs_preview ?? 'no output'}</span>
        )}
      </Anchor>
      <div className={classes.scores}>
        {summariesOf(runs).map((summary) => (
          <Score
            key={summary.key}
            summary={summary}
            change={changeOf(before.get(summary.key), summary.score, lowerIsBetter.includes(summary.key))}
          />
        ))}
      </div>
      <div className={classes.facts}>
        {latency !== null && (
          <span className="numeric">
            {durationText(latency)}
            {first && (
              <ChangeMark change={latencyChange(latencyOf(first), latency)} words={['faster', 'slower']} />
            )}
          </span>
        )}
        {run.total_tokens !== null && <span className="numeric">{countText(run.total_tokens)} tokens</span>}
        {run.total_cost !== null && <Cost usd={run.total_cost} />}
        {runs.length > 1 && <OtherRuns runs={runs.slice(1)} />}
      </div>
    </>
  );
}

const Score = ({
  summary: { key, text },
  change,
}: {
  summary: FeedbackSummary;
  change: ReturnType<typeof changeOf>;
}) => (
  <span className={classes.score} data-change={change}>
    <span className={classes.key}>{key}</span> <span className="numeric">{text}</span>
    <ChangeMark change={change} words={['better', 'worse']} />
  </span>
);

const OtherRuns = ({ runs }: { runs: RunSummary[] }) => (
  <span>
    also{' '}
    {runs.map((run, index) => (
      <span key={run.id}>
        {index > 0 && ', '}
        <Anchor component={Link} to={runPath(run)} size="xs">
          run {index + 2}
        </Anchor>
      </span>
    ))}
  </span>
);
