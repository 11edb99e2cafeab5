import type { Queryable } from '../../platform/db/database.ts';
import type { RowFilter } from '../../platform/db/row-filter.ts';
import { Where } from '../../platform/db/where.ts';
import type { Assistant } from '../records/assistant.ts';

/** An assistant with the name to call it by as a tool. */
export type AssistantTool = Pick<Assistant, 'assistant_id' | 'graph_id' | 'name' | 'description'> & {
  /** Letters, digits, `_`, `.` and `-`, at most 128; unique among assistants. */
  tool_name: string;
};

const LEGAL = `left(coalesce(nullif(regexp_replace(regexp_replace(trim(name), '\\s+', '_', 'g'),
  '[^A-Za-z0-9_.-]', '', 'g'), ''), 'assistant'), 128)`;
const ENDS_WITH_ID = `'_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'`;

export interface ToolReach {
  /** Which assistants the caller may see. */
  filter: RowFilter | undefined;
  /** Ids of the graphs' own assistants, which everyone may run (contract §13.2). */
  system: string[];
}

/** The assistants the caller may run, with the bindings for the rest of the statement. */
function runnable({ filter, system }: ToolReach): { where: Where; text: string } {
  const where = new Where().andPasses('metadata', filter);
  return { where, text: where.text && `${where.text} or assistant_id = any(${where.bind(system)})` };
}

/**
 * If several assistants map to the same tool name, the first one keeps it (those from the configuration take
 * precedence); the others get their id appended. So does a name that already looks like that, so no name occurs
 * twice.
 */
const named = (where: string): string => `
  select assistant_id, graph_id, name, description, created_at, case
    when legal !~ ${ENDS_WITH_ID} and row_number() over (
      partition by legal order by metadata->>'created_by' is distinct from 'system', created_at, assistant_id) = 1
    then legal else left(legal, 91) || '_' || assistant_id end as tool_name
  from (select *, ${LEGAL} as legal from assistant ${where}) assistant`;

/** Returns up to one tool more than `limit`; the extra one means there is another page. Oldest first. */
export async function listTools(
  db: Queryable,
  reach: ToolReach,
  { limit, offset }: { limit: number; offset: number },
): Promise<AssistantTool[]> {
  const { where, text } = runnable(reach);
  const { rows } = await db.query<AssistantTool>(
    `select * from (${named(text)}) tool order by created_at, assistant_id
     limit ${where.bind(limit + 1)} offset ${where.bind(offset)}`,
    where.values,
  );
  return rows;
}

export async function findTool(
  db: Queryable,
  reach: ToolReach,
  toolName: string,
): Promise<AssistantTool | undefined> {
  const { where, text } = runnable(reach);
  const { rows } = await db.query<AssistantTool>(
    `select * from (${named(text)}) tool where tool_name = ${where.bind(toolName)}`,
    where.values,
  );
  return rows[0];
}
