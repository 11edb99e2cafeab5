import { useState } from 'react';
import type { Drawn } from '../../api/tracing-charts.ts';
import { absoluteTime } from '../../parts/TimeText.tsx';
import classes from './ChartCard.module.css';

/** The chart's values as a table, rendered when opened. */
export function ChartTable({
  title,
  drawn: { times, lines },
  text,
}: {
  title: string;
  drawn: Drawn;
  text: (value: number) => string;
}) {
  const [isOpen, setOpen] = useState(false);
  const rows = times.flatMap((time, index) =>
    lines.some(({ values }) => values[index]) ? [{ time, index }] : [],
  );
  return (
    <details className={classes.numbers} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Table<span className="visually-hidden"> of {title}</span>
      </summary>
      {isOpen && (
        <div className={classes.scroll} role="region" aria-label={`Table of ${title}`} tabIndex={0}>
          <table className={classes.table}>
            <thead>
              <tr>
                <th scope="col">From</th>
                {lines.map(({ name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ time, index }) => (
                <tr key={time}>
                  <th scope="row">{absoluteTime(time * 1_000)}</th>
                  {lines.map(({ name, values }) => (
                    <td key={name} className="numeric">
                      {values[index] === null || values[index] === undefined ? '–' : text(values[index])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
