import { useMemo } from 'react';
import classes from './ComparePage.module.css';
import { type ComparedRow, compareValues, differingPart } from './compare-values.ts';

const WORDS = { same: 'unchanged', changed: 'differs', left: 'only left', right: 'only right' };

/** Compares a part of two runs by key and highlights differing words. */
export function ComparedValues({
  title,
  left,
  right,
  showsAll,
}: {
  title: string;
  left: unknown;
  right: unknown;
  showsAll: boolean;
}) {
  const rows = useMemo(() => compareValues(left, right), [left, right]);
  const differing = rows.filter(({ change }) => change !== 'same');
  const shown = showsAll ? rows : differing;
  return (
    <section aria-label={title} className={classes.part}>
      <h2 className={classes.title}>
        {title}
        <span className={classes.count}>
          {differing.length === 0 ? 'unchanged' : `${differing.length} of ${rows.length} differ`}
        </span>
      </h2>
      {shown.length > 0 && (
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Left</th>
              <th scope="col">Right</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <Row key={row.path} row={row} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Row({ row: { path, left, right, change } }: { row: ComparedRow }) {
  const marked = change === 'changed' ? differingPart(left!, right!) : undefined;
  return (
    <tr data-change={change}>
      <th scope="row">
        {path || 'value'}
        <span className="visually-hidden">, {WORDS[change]}</span>
      </th>
      <td data-side="left">{marked ? <Marked parts={marked[0]!} /> : clipped(left ?? '–')}</td>
      <td data-side="right">{marked ? <Marked parts={marked[1]!} /> : clipped(right ?? '–')}</td>
    </tr>
  );
}

// Base64 files are unreadable, so cut them.
const MAX = 1_000;
const clipped = (text: string): string => (text.length > MAX ? `${text.slice(0, MAX)}…` : text);

const Marked = ({ parts: [before, differs, after] }: { parts: [string, string, string] }) => (
  <>
    {before.length > MAX ? `…${before.slice(-MAX)}` : before}
    <mark className={classes.mark}>{clipped(differs)}</mark>
    {clipped(after)}
  </>
);
