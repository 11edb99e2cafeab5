import type { Statement } from '../../platform/db/database.ts';
import { Where } from '../../platform/db/where.ts';
import { locationSql } from '../bodies/body-location.ts';
import type { BodyTest } from './filter/condition.ts';
import { conditionSql, type SqlContext } from './filter/condition-sql.ts';
import type { CandidateSpans } from './candidate-spans.ts';
import type { PageRequest, RunQuery } from './run-query.ts';

/** Results of tests on bodies. */
export interface BodyFindings {
  /** Ids of passing runs by test; undefined before the tests have run. */
  passing?: Map<BodyTest, string[]>;
  /** Where candidates are; undefined means everywhere. */
  candidates?: CandidateSpans | undefined;
}

// Hides runs known only from a patch for an hour, until the post has probably been lost.
const LISTED = `(r.is_posted or r.inserted_at < now() - interval '1 hour')`;

/** Selects `columns` of one page of runs `r`. */
export function pageStatement(
  query: RunQuery,
  page: PageRequest,
  columns: string,
  findings: BodyFindings = {},
): Statement {
  const where = new Where();
  const limit = where.bind(page.limit);
  const conditions = runConditions(query, where, findings);
  const spans = findings.candidates && spansOf(findings.candidates, where, conditions);
  if (page.after) {
    const [time, id] = [where.bind(page.after.start_time), where.bind(page.after.id)];
    const [later, next] = page.order === 'asc' ? ['>', '<'] : ['<', '>'];
    conditions.push(
      `r.start_time ${later}= ${time}::timestamptz`,
      `(r.start_time ${later} ${time}::timestamptz or r.id ${next} ${id}::uuid)`,
    );
  }
  // Matches the index order in both directions.
  const order = page.order === 'asc' ? 'r.start_time asc, r.id desc' : 'r.start_time desc, r.id asc';
  const ordered = `order by ${order} limit ${limit}::int`;
  const one = `from tracing.run r where ${conditions.join(' and ')}`;
  const projects = projectsOf(query, where);
  const parts = [projects, spans].filter((part) => part !== undefined);
  const text =
    parts.length > 0
      ? // The index yields one project or span in order, so merge the first rows of each.
        `select ${columns} from ${parts.join(' cross join ')} cross join lateral
        (select r.* ${one} ${projects ? 'and r.project_id = p.id' : ''} ${ordered}) r ${ordered}`
      : isNarrow(query)
        ? // The narrow condition selects few rows, so sort those instead of scanning a project.
          `select ${columns} from (select r.* ${one} offset 0) r ${ordered}`
        : `select ${columns} ${one} ${ordered}`;
  return { text, values: where.values };
}

/** Conditions of a query on runs, apart from the project. */
export function runConditions(query: RunQuery, where: Where, findings: BodyFindings = {}): string[] {
  const { bind } = { bind: (value: unknown) => where.bind(value) };
  const conditions = [`r.tenant_id = ${bind(query.tenant_id)}::uuid`];
  if (query.ids) conditions.push(`r.id = any(${bind(query.ids)}::uuid[])`);
  const add = (value: unknown, sql: (bound: string) => string): void => {
    if (value !== undefined) conditions.push(sql(bind(value)));
  };
  if (query.projects?.length === 1) add(query.projects[0], (id) => `r.project_id = ${id}::uuid`);
  if (query.traces?.length === 1) add(query.traces[0], (id) => `r.trace_id = ${id}::uuid`);
  else add(query.traces, (ids) => `r.trace_id = any(${ids}::uuid[])`);
  add(
    query.parent,
    (id) => `r.parent_run_id = ${id}::uuid and r.trace_id = any(array(select t.trace_id from tracing.run t
      where t.tenant_id = r.tenant_id and t.id = ${id}::uuid))`,
  );
  add(query.examples, (ids) => `r.reference_example_id = any(${ids}::uuid[])`);
  add(query.thread, (id) => `r.thread_id = ${id}::text`);
  if (query.is_root !== undefined) conditions.push(`r.parent_run_id is ${query.is_root ? '' : 'not '}null`);
  add(query.run_type, (type) => `r.run_type = ${type}::text`);
  if (query.has_error !== undefined) conditions.push(`r.error is ${query.has_error ? 'not ' : ''}null`);
  add(query.from, (time) => `r.start_time >= ${time}::timestamptz`);
  add(query.until, (time) => `r.start_time < ${time}::timestamptz`);
  conditions.push(LISTED, ...filterConditions(query, { bind, body: bodySql(bind, findings) }));
  return conditions;
}

/** All conditions, including the projects, for queries without order. */
export function conditionsOf(query: RunQuery, where: Where): string[] {
  const conditions = runConditions(query, where);
  if (query.projects && query.projects.length !== 1)
    conditions.push(`r.project_id = any(${where.bind(query.projects)}::uuid[])`);
  return conditions;
}

function filterConditions({ filter, trace_filter, tree_filter, is_root }: RunQuery, context: SqlContext) {
  const conditions: string[] = [];
  if (filter) conditions.push(conditionSql(filter, 'r', context));
  const ofTrace = (of: string) =>
    `exists (select 1 from tracing.run ${of} where ${of}.tenant_id = r.tenant_id and ${of}.trace_id = r.trace_id`;
  if (trace_filter && is_root) conditions.push(conditionSql(trace_filter, 'r', context));
  else if (trace_filter)
    conditions.push(
      `${ofTrace('root')} and root.parent_run_id is null and ${conditionSql(trace_filter, 'root', context)})`,
    );
  if (tree_filter) conditions.push(`${ofTrace('node')} and ${conditionSql(tree_filter, 'node', context)})`);
  return conditions;
}

/** Before the tests have run, a run passes if nothing else excludes it. */
const bodySql =
  (bind: SqlContext['bind'], { passing, candidates }: BodyFindings): SqlContext['body'] =>
  (test, r, negated) => {
    if (passing) return `${r}.id = any(${bind(passing.get(test) ?? [])}::uuid[])`;
    const blocks = candidates?.blocks.get(test);
    if (!blocks || !('word' in test)) return String(!negated);
    const of = bind(blocks);
    return `(${test.bodies.map((body) => `coalesce(${locationSql.key(`${r}.${body}`)} = any(${of}::bigint[]), false)`).join(' or ')})`;
  };

/** A table of the spans that may contain runs. */
function spansOf({ spans, floor }: CandidateSpans, where: Where, conditions: string[]): string {
  conditions.push('r.start_time >= s.since', 'r.start_time <= s.until');
  if (floor !== undefined) conditions.push(`r.start_time > ${where.bind(floor)}::timestamptz`);
  const [since, until] = [0, 1].map((end) => where.bind(spans.map((span) => span[end as 0 | 1])));
  return `unnest(${since}::timestamptz[], ${until}::timestamptz[]) as s (since, until)`;
}

/** Whether the query has a condition narrower than a project. */
export const isNarrow = ({ ids, traces, parent, examples }: RunQuery): boolean =>
  Boolean(ids ?? traces ?? parent ?? examples);

/** A table of projects to scan one by one; undefined if a narrower condition exists. */
function projectsOf(query: RunQuery, where: Where) {
  const { projects, tenant_id } = query;
  if (projects && projects.length !== 1) return `unnest(${where.bind(projects)}::uuid[]) as p (id)`;
  if (projects || isNarrow(query)) return undefined;
  return `(select id from tracing.project where tenant_id = ${where.bind(tenant_id)}) as p`;
}
