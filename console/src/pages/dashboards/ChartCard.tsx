import { Skeleton, useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { chartQuery } from '../../api/tracing-charts.ts';
import { absoluteTime } from '../../parts/TimeText.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import classes from './ChartCard.module.css';
import { COLORS } from './chart-colors.ts';
import { bucketsOf } from './chart-ranges.ts';
import { ChartTable } from './ChartTable.tsx';
import { type ChartSpec, summaryOf } from './charts.ts';

const Plot = lazy(() => import('./Plot.tsx'));

/** A chart with legend and a table of its values for screen readers. */
export function ChartCard({
  spec: { id, title, series, text, steps, isSum = false },
  projects,
  range,
}: {
  spec: ChartSpec;
  projects: string[];
  range: string;
}) {
  const scheme = useComputedColorScheme('light');
  const { data, error, refetch } = useQuery(
    chartQuery([id, range], { projects, series, cut: () => bucketsOf(range) }),
  );
  const [pointed, setPointed] = useState<number | null>(null);
  const isEmpty =
    series.length === 0 || (data && !data.lines.some(({ values }) => values.some((value) => value)));
  const sums = data?.lines.map(({ name, values }) => {
    const sum = summaryOf(values, isSum);
    const value = pointed === null ? sum : values[pointed];
    return { name, latest: value == null ? '–' : text(value), whole: sum === undefined ? '–' : text(sum) };
  });
  const at = pointed === null ? undefined : data?.times[pointed];
  return (
    <section className={classes.card} aria-label={title}>
      <div className={classes.head}>
        <h2 className={classes.title}>{title}</h2>
        <span className={`${classes.at} numeric`}>
          {at !== undefined ? absoluteTime(at * 1_000) : isSum ? 'total' : 'latest'}
        </span>
      </div>
      {error && (
        <ErrorNotice error={error} title="Could not load this chart" onRetry={() => void refetch()} />
      )}
      {!error && (
        <>
          <ul className={classes.legend}>
            {!isEmpty &&
              sums?.map(({ name, latest }, index) => (
                <li key={name}>
                  <span
                    className={classes.swatch}
                    style={{ background: COLORS[scheme][index % COLORS[scheme].length] }}
                    aria-hidden="true"
                  />
                  {name} <strong className="numeric">{latest}</strong>
                </li>
              ))}
          </ul>
          <div className={classes.plot}>
            {isEmpty && <p className={classes.empty}>No data in this time range.</p>}
            {data && !isEmpty && (
              <Suspense fallback={<Skeleton height={190} />}>
                <Plot
                  drawn={data}
                  text={text}
                  steps={steps}
                  isSum={isSum}
                  onPoint={setPointed}
                  label={`${title}: ${sums!.map(({ name, whole }) => `${name} ${whole}`).join(', ')}`}
                />
              </Suspense>
            )}
            {!data && !isEmpty && <Skeleton height={190} />}
          </div>
          {data && !isEmpty && <ChartTable title={title} drawn={data} text={text} />}
        </>
      )}
    </section>
  );
}
