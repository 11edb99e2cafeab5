import { useQuery } from '@tanstack/react-query';
import { runStatsQuery } from '../../api/tracing-runs.ts';
import { Cost } from '../../parts/Cost.tsx';
import { Duration } from '../../parts/Duration.tsx';
import { Fact } from '../../parts/Facts.tsx';
import { Count, milliseconds, Share } from './numbers.tsx';
import classes from './RunTotals.module.css';
import type { RunFilters } from './use-run-filters.ts';

/** Statistics of all matching runs. */
export function RunTotals({ filters }: { filters: RunFilters }) {
  const { data } = useQuery(runStatsQuery(() => filters.toFilter(), filters.key));
  return (
    <dl className={classes.totals}>
      <Fact name={filters.allRuns ? 'Runs' : 'Traces'}>
        <Count value={data?.run_count} />
      </Fact>
      <Fact name="Errors">
        <Share value={data?.error_rate} isBad />
      </Fact>
      <Fact name="Latency p50">
        <Duration ms={milliseconds(data?.latency_p50)} />
      </Fact>
      <Fact name="Latency p95">
        <Duration ms={milliseconds(data?.latency_p95)} />
      </Fact>
      <Fact name="Latency p99">
        <Duration ms={milliseconds(data?.latency_p99)} />
      </Fact>
      <Fact name="First token p50">
        <Duration ms={milliseconds(data?.first_token_p50)} />
      </Fact>
      <Fact name="Tokens">
        <Count value={data?.total_tokens} />
      </Fact>
      <Fact name="Cost">
        <Cost usd={data?.total_cost} />
      </Fact>
    </dl>
  );
}
