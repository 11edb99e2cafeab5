import { type Database, inPipeline, inTransaction, type Statement } from '../../platform/db/database.ts';
import { BlockWriter } from '../bodies/block-writer.ts';
import { existingProjects, lockProjects, isProjectGone } from '../projects/project-lock.ts';
import type { ProjectNames } from '../projects/project-names.ts';
import { fillUsage, type UsageDeps } from './fill-usage.ts';
import { noteDue } from '../usage/usage-due.ts';
import { storableJson } from '../json/storable-json.ts';
import { adoptStatement } from './adopt-runs.ts';
import { awaitedStatements } from './awaited-runs.ts';
import { hashKeys } from '../runs/extra-parts.ts';
import type { FoldedRun } from './folded-run.ts';
import { lockPositions, sharePositions } from './position-lock.ts';
import { type Ordered, orderRuns } from './order-runs.ts';
import { type BodyColumn, SEARCHED_COLUMNS } from '../runs/run-columns.ts';
import { weekOf } from '../runs/run-time.ts';
import { wordsStatement } from '../runs/run-words.ts';
import { UPSERT_RUNS } from './upsert-sql.ts';

const DEFAULT_PROJECT = 'default';
const BLOCK_IDS = 200;
// Weeks from here up to AHEAD_MS get their own partitions; other times are implausible.
const EARLIEST_WEEK = '2015-01-05';
const AHEAD_MS = 366 * 86_400_000;

/** Writes folded runs of one tenant atomically. */
export class RunWriter {
  readonly #db: Database;
  readonly #projects: ProjectNames;
  readonly #usage: UsageDeps;
  readonly #weeks = new Set<string>();
  #blockIds: number[] = [];

  constructor(db: Database, projects: ProjectNames, usage: UsageDeps) {
    this.#db = db;
    this.#projects = projects;
    this.#usage = usage;
  }

  async write(tenantId: string, runs: FoldedRun[], more: Statement[] = []): Promise<void> {
    await fillUsage(this.#usage, tenantId, runs);
    try {
      await this.#write(tenantId, runs, more);
    } catch (error) {
      if (!isProjectGone(error)) throw error;
      await this.#write(tenantId, await this.#intoExisting(tenantId, runs), more);
    }
  }

  /** After a project was deleted: looks names up again, and replaces unknown ids by the name. */
  async #intoExisting(tenantId: string, runs: FoldedRun[]): Promise<FoldedRun[]> {
    for (const { session } of runs) this.#projects.forget(tenantId, session.name ?? DEFAULT_PROJECT);
    const ids = runs.flatMap(({ session }) => session.id ?? []);
    const known = await existingProjects(this.#db, tenantId, ids);
    return runs.map(({ session: { id, ...session }, ...run }) => ({
      ...run,
      session: id && known.has(id) ? { ...session, id } : session,
    }));
  }

  async #write(tenantId: string, runs: FoldedRun[], more: Statement[]): Promise<void> {
    const now = new Date().toISOString().replace('Z', '000Z');
    const found = await this.#findPositions(tenantId, runs);
    // Looks projects up by name; the ids of others are known.
    const ids = runs.map((run) => (namesProject(run) ? run.session.id : found.get(run.id)?.project_id));
    const names = runs.map(({ session }, index) =>
      ids[index] ? undefined : (session.name ?? DEFAULT_PROJECT),
    );
    const projects = await this.#projects.resolve(
      tenantId,
      names.filter((name) => name !== undefined),
    );
    const positioned = runs.map((run, index) => {
      const start_time = run.start_time ?? found.get(run.id)?.start_time ?? now;
      const project_id = ids[index] ?? projects.get(names[index]!)!;
      return { run, start_time, project_id, isGuess: !run.start_time && !found.has(run.id) };
    });
    await this.#ensureWeeks([now, ...positioned.map(({ start_time }) => start_time)]);
    const bytes = runs.reduce((sum, { bodies }) => sum + sizeOf(bodies), 0);
    const count = BlockWriter.blocksOf(new Set(positioned.map(({ project_id }) => project_id)).size, bytes);
    const blocks = new BlockWriter(tenantId, weekOf(now), await this.#takeBlockIds(count));
    const orders = orderRuns(positioned);
    const rows = positioned
      .map(({ run, ...at }) => rowOf(run, { ...at, ...orders.get(run.id)! }, blocks))
      // A fixed lock order prevents deadlocks between writers.
      .sort((one, other) => (one.id < other.id ? -1 : 1));
    const written = await blocks.statement();
    const words = wordsStatement(tenantId, positioned);
    const adopted = adoptStatement(tenantId, positioned, (id) => orders.get(id)!.dotted_order);
    const statements = [
      lockProjects(
        tenantId,
        positioned.map(({ project_id }, index) => ({ id: project_id, name: names[index] })),
      ),
      ...(written ? [written] : []),
      ...(words ? [words] : []),
      ...awaitedStatements(tenantId, positioned),
      { name: 'tracing-upsert-runs', text: UPSERT_RUNS, values: [tenantId, storableJson(rows)] },
      ...(adopted ? [adopted] : []),
      ...noteDue(
        tenantId,
        positioned
          .filter(({ run }) => run.mayUsageBeDue)
          .map(({ run, start_time }) => ({ id: run.id, start_time })),
      ),
      ...more,
    ];
    const guessed = positioned.flatMap(({ run, isGuess }) => (isGuess && !run.isPosted ? run.id : []));
    if (guessed.length === 0) await inPipeline(this.#db, [sharePositions(tenantId), ...statements]);
    else if (!(await this.#writeGuessed(tenantId, guessed, statements)))
      await this.#write(tenantId, runs, more);
  }

  /** Returns false without writing if one of the runs was written meanwhile, so that its position is known now. */
  async #writeGuessed(tenantId: string, ids: string[], statements: Statement[]): Promise<boolean> {
    return inTransaction(this.#db, async (tx) => {
      const lock = lockPositions(tenantId);
      await tx.query(lock.text, lock.values);
      const { rowCount } = await tx.query(
        'select from tracing.run where tenant_id = $1 and id = any($2) limit 1',
        [tenantId, ids],
      );
      if (rowCount !== 0) return false;
      for (const { text, values } of statements) await tx.query(text, values);
      return true;
    });
  }

  /** Positions of runs that do not give them. Their bodies go to blocks of the same project. */
  async #findPositions(tenantId: string, runs: FoldedRun[]): Promise<Map<string, FoundPosition>> {
    const ids = runs.flatMap((run) => (run.start_time && namesProject(run) ? [] : [run.id]));
    if (ids.length === 0) return new Map();
    const { rows } = await this.#db.query<FoundPosition & { id: string }>(
      {
        name: 'tracing-find-places',
        text: `select r.id, r.start_time, p.id as project_id from tracing.run r
          left join tracing.project p on p.tenant_id = r.tenant_id and p.id = r.project_id
          where r.tenant_id = $1 and r.id = any($2)`,
      },
      [tenantId, ids],
    );
    return new Map(
      rows.map(({ id, start_time, project_id }) => [
        id,
        { start_time: start_time.replace('+00:00', 'Z'), project_id: project_id ?? undefined },
      ]),
    );
  }

  async #ensureWeeks(times: string[]): Promise<void> {
    const latest = weekOf(new Date(Date.now() + AHEAD_MS).toISOString());
    for (const week of new Set(times.map(weekOf))) {
      if (this.#weeks.has(week) || week < EARLIEST_WEEK || week > latest) continue;
      await this.#db.query('select tracing.ensure_week($1)', [week]);
      this.#weeks.add(week);
    }
  }

  async #takeBlockIds(count: number): Promise<number[]> {
    if (this.#blockIds.length < count) {
      const { rows } = await this.#db.query<{ id: number }>(
        `select nextval('tracing.body_block_id') as id from generate_series(1, $1)`,
        [count + BLOCK_IDS],
      );
      this.#blockIds.push(...rows.map(({ id }) => id));
    }
    return this.#blockIds.splice(0, count);
  }
}

export interface PositionedRun {
  run: FoldedRun;
  start_time: string;
  project_id: string;
  /** Whether start_time is a guess, because no operation has given it. */
  isGuess: boolean;
}

interface FoundPosition {
  start_time: string;
  /** Undefined if the project was deleted. */
  project_id: string | undefined;
}

/** Posts without a project go to the default project; patches stay with their run. */
const namesProject = ({ session, isPosted }: FoldedRun): boolean =>
  isPosted || session.id !== undefined || session.name !== undefined;

const sizeOf = (bodies: FoldedRun['bodies']): number =>
  Object.values(bodies).reduce((sum, body) => sum + body.length, 0);

function rowOf(
  run: FoldedRun,
  { start_time, project_id, trace_id, dotted_order }: Omit<PositionedRun, 'run'> & Ordered,
  blocks: BlockWriter,
) {
  const { id, position, values, bodies, tags, metadata, patched, isPosted } = run;
  const places = Object.fromEntries(
    (Object.entries(bodies) as [BodyColumn, Buffer][]).map(([column, body]) => [
      column,
      blocks.add({ project_id, start_time, isSearched: SEARCHED_COLUMNS.has(column) }, body),
    ]),
  );
  return {
    id,
    start_time,
    project_id,
    trace_id,
    parent_run_id: position.parent_run_id,
    dotted_order,
    ...values,
    ...places,
    ...(bodies.extra && { extra_keys: hashKeys(bodies.extra) }),
    ...(tags.length > 0 && { tags }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    patched,
    is_posted: isPosted,
  };
}
