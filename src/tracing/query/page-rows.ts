import type { Queryable, Statement } from '../../platform/db/database.ts';
import { packWindows } from '../packs/pack-windows.ts';
import { type QueryDeps, readRuns } from './found-runs.ts';
import type { PageAsked, RunQuery } from './run-query.ts';
import { pageStatement, type Told } from './run-query-sql.ts';

/** How rows are read. */
export type Read = <Row extends object>(statement: Statement) => Promise<Row[]>;

/** In bounded time: throws TookTooLong. */
export const readBriefly =
  (deps: QueryDeps): Read =>
  (statement) =>
    readRuns(deps, statement);

/** However long it takes: for what goes through all runs. */
export const readAll =
  (db: Queryable): Read =>
  async <Row extends object>({ text, values }: Statement) =>
    (await db.query<Row>(text, values)).rows;

/** Reads one page of rows, from one window of time after the other until it is full. */
export async function readPageRows<Row extends object>(
  read: Read,
  query: RunQuery,
  page: PageAsked,
  columns: string,
  told: Omit<Told, 'window'> = {},
): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const window of packWindows(read, query, page, told.reach)) {
    const limit = page.limit - rows.length;
    const readWindow = <R extends object>(isPacked: boolean) =>
      read<R>(
        pageStatement(query, { ...page, limit }, columns, { ...told, window: { ...window, isPacked } }),
      );
    const alone = window.isPacked ? undefined : runsAlone(await readWindow<Row & Alone>(false));
    rows.push(...(alone ?? (await readWindow<Row>(true))));
    if (rows.length >= page.limit) break;
  }
  return rows;
}

interface Alone {
  is_late: boolean;
  is_run: true | null;
}

/** The runs of a window without packs; undefined where there is one by now. */
function runsAlone<Row extends object>(rows: (Row & Alone)[]): Row[] | undefined {
  if (rows[0]!.is_late) return undefined;
  return rows.filter(({ is_run }) => is_run).map(({ is_late: _late, is_run: _run, ...row }) => row as Row);
}
