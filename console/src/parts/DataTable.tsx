import { Skeleton } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useMemo, useRef } from 'react';
import { useNavigate } from 'react-router';
import classes from './DataTable.module.css';
import { Icon } from './Icon.tsx';
import { useSort } from './use-sort.ts';

export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Sort value. Columns without it cannot be sorted. */
  sortBy?: (row: Row) => string | number | null;
  align?: 'right';
  /** CSS width. */
  width?: string;
  /** Hidden on narrow screens. */
  wideOnly?: boolean;
}

export interface DataTableProps<Row> {
  /** Plural name of the rows: `Deployments`. */
  label: string;
  columns: Column<Row>[];
  /** Undefined while loading. */
  rows: Row[] | undefined;
  rowId: (row: Row) => string;
  /** Link of a row. The first cell should contain the same link for assistive technology. */
  rowTo?: (row: Row) => string;
  /** Shown if there are no rows. */
  empty?: ReactNode;
  /** Query parameter of the sort order; must be unique per page. */
  sortParameter?: string;
}

const ROW_HEIGHT = 41;
const VIRTUAL_FROM = 100;
const SKELETONS = 5;

/** A sortable table with arrow-key navigation, virtualised for many rows. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowId, rowTo, empty, sortParameter } = props;
  const [sort, setSort] = useSort(sortParameter);
  const navigate = useNavigate();
  const box = useRef<HTMLDivElement>(null);
  const sorted = useMemo(
    () => sortRows(rows ?? [], columns, sort),
    [rows, columns, sort?.column, sort?.descending],
  );
  const isVirtual = sorted.length > VIRTUAL_FROM;
  const virtual = useVirtualizer({
    count: sorted.length,
    enabled: isVirtual,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  });
  const items = isVirtual
    ? virtual.getVirtualItems()
    : sorted.map((_, index) => ({ index, start: 0, end: 0 }));
  const before = isVirtual ? (items[0]?.start ?? 0) : 0;
  const after = isVirtual ? virtual.getTotalSize() - (items.at(-1)?.end ?? 0) : 0;

  if (rows && rows.length === 0 && empty) return <>{empty}</>;
  return (
    <div
      ref={box}
      className={classes.box}
      data-virtual={isVirtual || undefined}
      role="region"
      aria-label={label}
      tabIndex={isVirtual ? 0 : undefined}
    >
      <table className={classes.table} aria-rowcount={rows ? rows.length + 1 : -1} aria-busy={!rows}>
        <thead>
          <tr>
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} sort={sort} onSort={setSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {!rows && <SkeletonRows columns={columns} />}
          {before > 0 && <Spacer height={before} span={columns.length} />}
          {items.map(({ index }) => {
            const row = sorted[index]!;
            const to = rowTo?.(row);
            return (
              <tr
                key={rowId(row)}
                aria-rowindex={isVirtual ? index + 2 : undefined}
                data-leads={to ? true : undefined}
                tabIndex={to ? (index === 0 ? 0 : -1) : undefined}
                onKeyDown={to ? (event) => walk(event, () => void navigate(to)) : undefined}
                onClick={to ? (event) => isPlain(event) && void navigate(to) : undefined}
              >
                {columns.map(({ id, cell, align, wideOnly }) => (
                  <td key={id} data-align={align} data-wide-only={wideOnly || undefined}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
          {after > 0 && <Spacer height={after} span={columns.length} />}
        </tbody>
      </table>
    </div>
  );
}

function HeaderCell<Row>({
  column: { id, header, sortBy, align, width, wideOnly },
  sort,
  onSort,
}: {
  column: Column<Row>;
  sort: ReturnType<typeof useSort>[0];
  onSort: ReturnType<typeof useSort>[1];
}) {
  const isSorted = sort?.column === id;
  const order = isSorted ? (sort.descending ? 'descending' : 'ascending') : undefined;
  return (
    <th
      scope="col"
      style={{ width }}
      data-align={align}
      data-wide-only={wideOnly || undefined}
      aria-sort={order}
    >
      {sortBy ? (
        <button
          type="button"
          className={classes.sort}
          onClick={() => onSort({ column: id, descending: isSorted && !sort.descending })}
        >
          {header}
          <span className={classes.arrow} data-shown={isSorted || undefined}>
            <Icon name={isSorted && sort.descending ? 'down' : 'up'} size={11} />
          </span>
        </button>
      ) : (
        header
      )}
    </th>
  );
}

const SkeletonRows = <Row,>({ columns }: { columns: Column<Row>[] }) =>
  Array.from({ length: SKELETONS }, (_, index) => (
    <tr key={index}>
      {columns.map(({ id, wideOnly }) => (
        <td key={id} data-wide-only={wideOnly || undefined}>
          <Skeleton height={10} my={5} width={id === columns[0]?.id ? '70%' : '50%'} />
        </td>
      ))}
    </tr>
  ));

const Spacer = ({ height, span }: { height: number; span: number }) => (
  <tr aria-hidden="true">
    <td colSpan={span} style={{ height, padding: 0, border: 0 }} />
  </tr>
);

function sortRows<Row>(rows: Row[], columns: Column<Row>[], sort: ReturnType<typeof useSort>[0]): Row[] {
  const by = columns.find(({ id }) => id === sort?.column)?.sortBy;
  if (!by) return rows;
  const sign = sort!.descending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [by(one), by(other)];
    // Missing values come last in both directions.
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    return sign * (typeof a === 'string' ? a.localeCompare(String(b)) : a - Number(b));
  });
}

/** Arrows move between rows, Home and End to the first and last, Enter opens. */
function walk(event: KeyboardEvent<HTMLTableRowElement>, open: () => void): void {
  const row = event.currentTarget;
  if (event.target !== row) return;
  const rows = [...row.parentElement!.querySelectorAll<HTMLElement>('tr[tabindex]')];
  const place = rows.indexOf(row);
  const next = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (next !== undefined) {
    event.preventDefault();
    rows[next]?.focus();
  } else if (event.key === 'Enter') open();
}

/** Ignores clicks on controls and while text is selected. */
const isPlain = (event: MouseEvent<HTMLElement>): boolean =>
  !(event.target as HTMLElement).closest('a, button, input, label') && !getSelection()?.toString();
