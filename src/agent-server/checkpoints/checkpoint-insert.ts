import { sealedBlob, sealedJsonText } from '../../platform/db/sealing.ts';
import type { Queryable, Statement } from '../../platform/db/database.ts';
import { StatementNames } from '../../platform/db/statement-names.ts';
import { RunFenced } from '../errors.ts';
import type { Fence } from '../events/event-repository.ts';
import type { CheckpointRow, ValueRow, WriteRow, WriteUnit } from '../../graph-protocol/checkpoint-record.ts';

const names = new StatementNames('checkpoints');
// Longer texts rarely repeat.
const LONGEST_NAMED = 8_000;

/**
 * Stores several puts in one statement. With a fence, stores nothing and throws RunFenced unless the run is still
 * executing under that epoch. Idempotent.
 */
export async function insertCheckpoints(db: Queryable, units: WriteUnit[], fence?: Fence): Promise<void> {
  const { name, text, values } = checkpointInsert(units, fence);
  const { rowCount } = await db.query(name ? { name, text } : text, values);
  if (fence && rowCount === 0) throw new RunFenced(fence.run_id);
}

/** The same as a statement, which stores nothing unless the fence holds. */
export function checkpointInsert(units: WriteUnit[], fence?: Fence): Statement {
  const statement = new InsertText(fence);
  statement.insert(CHECKPOINT, lastOf(units.flatMap(({ checkpoint }) => checkpoint ?? [])));
  statement.insert(
    VALUE,
    units.flatMap(({ values }) => values),
  );
  statement.insert(WRITE, mergeWrites(units.flatMap(({ writes }) => writes)));
  const text = statement.text();
  const name = text.length > LONGEST_NAMED ? undefined : names.of(text);
  return { ...(name && { name }), text, values: statement.params };
}

/** How rows are inserted: the columns in order, each with its type and encoding. */
interface Target<Row> {
  into: string;
  columns: [name: keyof Row & string, type: string, as?: 'json' | 'sealed json' | 'sealed blob'][];
  onConflict: string;
}

// A run that finds nothing to do may put an earlier run's checkpoint again, which must not change.
const CHECKPOINT: Target<CheckpointRow> = {
  into: 'checkpoint',
  columns: [
    ['thread_id', 'uuid'],
    ['checkpoint_ns', 'text'],
    ['checkpoint_id', 'uuid'],
    ['parent_checkpoint_id', 'uuid'],
    ['run_id', 'uuid'],
    ['format', 'smallint'],
    ['channel_versions', 'jsonb', 'json'],
    ['delta_channels', 'text[]'],
    ['body', 'text', 'sealed blob'],
    ['metadata', 'jsonb', 'sealed json'],
  ],
  onConflict: `(thread_id, checkpoint_ns, checkpoint_id) do update set channel_versions = excluded.channel_versions,
    delta_channels = excluded.delta_channels, body = excluded.body, metadata = excluded.metadata
    where checkpoint.run_id is not distinct from excluded.run_id`,
};

const VALUE: Target<ValueRow> = {
  into: 'checkpoint_value',
  columns: [
    ['thread_id', 'uuid'],
    ['checkpoint_ns', 'text'],
    ['channel', 'text'],
    ['version', 'text'],
    ['type', 'text'],
    ['value', 'text', 'sealed blob'],
  ],
  onConflict: 'do nothing',
};

const WRITE: Target<WriteRow> = {
  into: 'checkpoint_write',
  columns: [
    ['thread_id', 'uuid'],
    ['checkpoint_ns', 'text'],
    ['checkpoint_id', 'uuid'],
    ['task_id', 'text'],
    ['task_path', 'text'],
    ['idx', 'integer'],
    ['run_id', 'uuid'],
    ['channel', 'text'],
    ['type', 'text'],
    ['value', 'text', 'sealed blob'],
  ],
  onConflict: `(thread_id, checkpoint_ns, checkpoint_id, task_id, idx, run_id) do update
    set task_path = excluded.task_path, channel = excluded.channel, type = excluded.type, value = excluded.value, seq = default
    where excluded.idx < 0`,
};

/**
 * One parameter per value takes half the time of arrays, whose elements have to be quoted and unquoted. Repeated
 * values such as ids share a parameter, and integers are written into the text.
 */
class InsertText {
  readonly params: unknown[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #parts: string[] = [];
  readonly #fenced: boolean;

  constructor(fence: Fence | undefined) {
    this.#fenced = fence !== undefined;
    if (!fence) return;
    const [run, epoch] = [this.#param(fence.run_id, 'uuid'), this.#param(fence.epoch, 'integer')];
    this.#parts.push(
      `fence as (select from run where run_id = ${run} and epoch = ${epoch} and status = 'running' for share)`,
    );
  }

  insert<Row extends object>({ into, columns, onConflict }: Target<Row>, rows: Row[]): void {
    if (rows.length === 0) return;
    const names = columns.map(([name]) => name).join(', ');
    const lines = rows.map(
      (row) => `(${columns.map(([name, type, as]) => this.#param(sent(name, row[name], as), type)).join()})`,
    );
    this.#parts.push(
      `new_${into} as (insert into ${into} (${names})
       select new.* from ${this.#fenced ? 'fence, ' : ''}(values ${lines.join(', ')}) new on conflict ${onConflict})`,
    );
  }

  text(): string {
    return `with ${this.#parts.join(',\n')} select ${this.#fenced ? 'from fence' : ''}`;
  }

  #param(value: unknown, type: string): string {
    if (typeof value === 'number') return `${Math.trunc(value)}::${type}`;
    const key = typeof value === 'string' && value.length <= 64 ? `${type} ${value}` : undefined;
    let number = key === undefined ? undefined : this.#numbers.get(key);
    if (number === undefined) {
      number = this.params.push(value);
      if (key !== undefined) this.#numbers.set(key, number);
    }
    return `$${number}::${type}`;
  }
}

function sent(
  field: string,
  value: unknown,
  as: 'json' | 'sealed json' | 'sealed blob' | undefined,
): unknown {
  if (as === 'json') return JSON.stringify(value);
  if (as === 'sealed json') return sealedJsonText('checkpoint', field, value as string);
  return as === 'sealed blob' ? sealedBlob('checkpoint', field, value as string) : value;
}

/** `on conflict do update` fails if one statement contains a row twice. */
function lastOf(checkpoints: CheckpointRow[]): CheckpointRow[] {
  return [
    ...new Map(
      checkpoints.map((row) => [`${row.thread_id} ${row.checkpoint_id} ${row.checkpoint_ns}`, row]),
    ).values(),
  ];
}

function mergeWrites(writes: WriteRow[]): WriteRow[] {
  const merged = new Map<string, WriteRow>();
  for (const row of writes) {
    const key = JSON.stringify([row.thread_id, row.checkpoint_ns, row.checkpoint_id, row.task_id, row.idx]);
    if (row.idx < 0 || !merged.has(key)) merged.set(key, { task_path: '', ...row });
  }
  return [...merged.values()];
}
