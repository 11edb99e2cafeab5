import { type Database, inPipeline, sqlState, type Statement } from '../../platform/db/database.ts';
import { defineError } from '../../platform/errors.ts';

const TookTooLong = defineError(
  'TookTooLong',
  422,
  (seconds: number) =>
    `The query took longer than ${seconds} s; narrow the time range, the project or the filter`,
);

const QUERY_CANCELED = '57014';

/** Runs a query on a client's behalf with a time limit, in one round trip. Throws TookTooLong. */
export async function readBounded<Row extends object>(
  db: Database,
  seconds: number,
  statement: Statement,
): Promise<Row[]> {
  try {
    const [, rows] = await inPipeline<[object[], Row[]]>(db, [
      // JIT compilation takes longer than these queries.
      {
        text: `select set_config('statement_timeout', $1, true), set_config('jit', 'off', true)`,
        values: [String(seconds * 1000)],
      },
      statement,
    ]);
    return rows;
  } catch (error) {
    if (sqlState(error) === QUERY_CANCELED) throw new TookTooLong(seconds);
    throw error;
  }
}
