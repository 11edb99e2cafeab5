import type { Queryable } from '../db/database.ts';

/** Table of sweeps, by service. */
export type SweepTable = 'sweep' | 'control_plane.sweep';

export interface SweepOutcome {
  took_ms: number;
  result?: object | undefined;
  error?: string | undefined;
}

/** Adds missing sweeps, due at once, and moves up those whose interval got shorter. Paused ones stay paused. */
export async function registerSweeps(
  db: Queryable,
  table: SweepTable,
  sweeps: { name: string; everySeconds: number }[],
): Promise<void> {
  await db.query(
    `insert into ${table} as s (name) select unnest($1::text[])
     on conflict (name) do update set due_at = least(s.due_at,
       clock_timestamp() + make_interval(secs => ($2::float[])[array_position($1, s.name)]))
     where s.due_at < 'infinity'`,
    [sweeps.map(({ name }) => name), sweeps.map(({ everySeconds }) => everySeconds)],
  );
}

/** Claims the sweeps that are due and that no other process runs. */
export async function claimSweeps(
  db: Queryable,
  table: SweepTable,
  names: string[],
  holdSeconds: number,
): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `update ${table} set held_until = clock_timestamp() + make_interval(secs => $2)
     where name = any($1) and due_at <= clock_timestamp() and held_until < clock_timestamp() returning name`,
    [names, holdSeconds],
  );
  return rows.map(({ name }) => name);
}

export async function holdSweep(
  db: Queryable,
  table: SweepTable,
  name: string,
  holdSeconds: number,
): Promise<void> {
  await db.query(
    `update ${table} set held_until = clock_timestamp() + make_interval(secs => $2) where name = $1`,
    [name, holdSeconds],
  );
}

/** Records the outcome and makes the sweep due again, unless it was paused meanwhile. */
export async function endSweep(
  db: Queryable,
  table: SweepTable,
  name: string,
  everySeconds: number,
  { took_ms, result, error }: SweepOutcome,
): Promise<void> {
  await db.query(
    `update ${table} set held_until = '-infinity', ran_at = clock_timestamp(), took_ms = $3, result = $4, error = $5,
       due_at = greatest(clock_timestamp() + make_interval(secs => $2), case when due_at = 'infinity' then due_at end)
     where name = $1`,
    [name, everySeconds, took_ms, result && JSON.stringify(result), error ?? null],
  );
}
