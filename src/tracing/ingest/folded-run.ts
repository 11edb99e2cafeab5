import type { JsonObject } from '../../platform/schema.ts';
import { bitOf, type BodyColumn, type RunColumn } from '../runs/run-columns.ts';
import { mergeExtras } from '../runs/extra-parts.ts';
import type { RunOperation } from './run-operation.ts';

/** All operations of a batch on one run, merged by the rules of contract §1.5. */
export interface FoldedRun {
  id: string;
  start_time: string | undefined;
  position: RunOperation['position'];
  session: RunOperation['session'];
  values: Partial<Record<RunColumn, unknown>>;
  bodies: Partial<Record<BodyColumn, Buffer>>;
  tags: string[];
  metadata: JsonObject;
  /** Bits of the columns that a patch set. */
  patched: number;
  isPosted: boolean;
  parsed: RunOperation['parsed'];
  /** Whether usage may have to be computed later; see usage-due.ts. */
  mayUsageBeDue?: boolean;
}

/** Folds operations in order of arrival. Patches win over posts, and null never replaces a value. */
export function foldOperations(operations: RunOperation[]): FoldedRun[] {
  const runs = new Map<string, FoldedRun>();
  for (const operation of operations) {
    const run = runs.get(operation.id) ?? emptyRun(operation.id);
    runs.set(operation.id, run);
    fold(run, operation);
  }
  return [...runs.values()];
}

const emptyRun = (id: string): FoldedRun => ({
  id,
  start_time: undefined,
  position: {},
  session: {},
  values: {},
  bodies: {},
  tags: [],
  metadata: {},
  patched: 0,
  isPosted: false,
  parsed: {},
});

function fold(
  run: FoldedRun,
  { kind, start_time, position, session, values, bodies, ...rest }: RunOperation,
): void {
  const isPatch = kind === 'patch';
  run.isPosted ||= !isPatch;
  run.start_time ??= start_time;
  run.position = { ...position, ...run.position };
  run.session = { ...session, ...run.session };
  run.tags = addTags(run.tags, rest.tags ?? []);
  run.metadata = isPatch ? { ...run.metadata, ...rest.metadata } : { ...rest.metadata, ...run.metadata };
  const taken = (column: RunColumn, isThere: boolean): boolean => {
    if (isPatch) run.patched |= bitOf(column);
    return isPatch || !isThere;
  };
  for (const [column, value] of Object.entries(values) as [RunColumn, unknown][])
    if (value !== undefined && taken(column, run.values[column] !== undefined)) run.values[column] = value;
  for (const [column, body] of Object.entries(bodies) as [BodyColumn, Buffer][])
    if (column === 'extra' && run.bodies.extra) {
      taken(column, true);
      run.bodies.extra = mergeExtras(inOrder(run.bodies.extra, body, isPatch));
      const [less, more] = inOrder(run.parsed.extra, rest.parsed.extra, isPatch);
      run.parsed = { ...run.parsed, extra: { ...(less as object), ...(more as object) } };
    } else if (taken(column, run.bodies[column] !== undefined)) {
      run.bodies[column] = body;
      if (column in rest.parsed) run.parsed = { ...run.parsed, [column]: rest.parsed[column as 'inputs'] };
    }
}

/** Keeps repeated tags within an operation; adds only new tags of later ones. */
const addTags = (tags: string[], more: string[]): string[] =>
  tags.length === 0 ? more : [...tags, ...more.filter((tag) => !tags.includes(tag))];

/** In ascending precedence. */
const inOrder = <Value>(before: Value, now: Value, isPatch: boolean): [Value, Value] =>
  isPatch ? [before, now] : [now, before];
