import { type Database, inPipeline, sqlState, type Statement } from '../../platform/db/database.ts';
import { defineError } from '../../platform/errors.ts';

const TookTooLong = defineError(
  'TookTooLong',
  422,
  (seconds: number) =>
    `The query took longer than ${seconds} s; ask for less time, a project, or another filter`,
);

const QUERY_CANCELED = '57014';

/** Reads what a client's filter asks for, in bounded time and one round trip. Throws TookTooLong. */
export async function readBounded<Row extends object>(
  db: Database,
  seconds: number,
  statement: Statement,
): Promise<Row[]> {
  try {
    const [, rows] = await inPipeline<[object[], Row[]]>(db, [
      // Compiling these statements takes longer than running them.
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
