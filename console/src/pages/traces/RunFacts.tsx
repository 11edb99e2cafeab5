import type { Run } from '../../api/tracing-records.ts';
import { Cost } from '../../parts/Cost.tsx';
import { Duration } from '../../parts/Duration.tsx';
import { Fact } from '../../parts/Facts.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { between, Count } from './numbers.tsx';
import classes from './RunPanel.module.css';

/** Key figures of a run. */
export function RunFacts({ run }: { run: Run }) {
  const model = run.extra.metadata?.['ls_model_name'];
  return (
    <dl className={classes.facts}>
      <Fact name="Started">
        <TimeText at={run.start_time} />
      </Fact>
      <Fact name="Latency">
        <Duration ms={between(run.start_time, run.end_time)} />
      </Fact>
      {run.first_token_time && (
        <Fact name="First token">
          <Duration ms={between(run.start_time, run.first_token_time)} />
        </Fact>
      )}
      {run.total_tokens !== null && (
        <Fact name="Tokens">
          <Count value={run.total_tokens} />
        </Fact>
      )}
      {run.total_cost !== null && (
        <Fact name="Cost">
          <Cost usd={run.total_cost} />
        </Fact>
      )}
      {typeof model === 'string' && <Fact name="Model">{model}</Fact>}
    </dl>
  );
}
