import { sealedJson } from '../../platform/db/sealing.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { RowFilter } from '../../platform/db/row-filter.ts';
import { Where } from '../../platform/db/where.ts';
import { isUuid, systemAssistantId } from '../../platform/ids.ts';
import type {
  Assistant,
  AssistantCount,
  AssistantSearch,
  AssistantVersion,
  VersionSearch,
} from './assistant.ts';
import { ASSISTANT_FIELDS, VERSION_FIELDS } from './assistant.ts';

const COLUMNS = ASSISTANT_FIELDS.join(', ');
const VERSION_COLUMNS = VERSION_FIELDS.join(', ');
// A version's created_at is the time of the change that made it.
const AS_VERSION = VERSION_FIELDS.map((field) => (field === 'created_at' ? 'updated_at' : field)).join(', ');

export type NewAssistant = Omit<Assistant, 'name' | 'version' | 'created_at' | 'updated_at'> & {
  name?: string | undefined;
};

/** Inserts the assistant and its first version; undefined if the id is taken. */
export async function insertAssistant(
  db: Queryable,
  assistant: NewAssistant,
): Promise<Assistant | undefined> {
  const { rows } = await db.query<Assistant>(
    `with created as (
       insert into assistant (assistant_id, graph_id, config, context, metadata, name, description,
         created_at, updated_at)
       select $1, $2, $3, $4, $5, coalesce($6, 'Untitled'), $7, t, t from clock_timestamp() t
       on conflict (assistant_id) do nothing returning ${COLUMNS}),
     recorded as (insert into assistant_version (${VERSION_COLUMNS}) select ${AS_VERSION} from created)
     select ${COLUMNS} from created`,
    parameters(assistant),
  );
  return rows[0];
}

const parameters = (assistant: NewAssistant): unknown[] => [
  assistant.assistant_id,
  assistant.graph_id,
  sealedJson('assistant', 'config', assistant.config),
  sealedJson('assistant', 'context', assistant.context),
  sealedJson('assistant', 'metadata', assistant.metadata),
  assistant.name ?? null,
  assistant.description,
];

/** The assistants a caller may see; every search and count uses this. */
function listed({ metadata, graph_id, name }: AssistantCount, reach: RowFilter | undefined): Where {
  const where = new Where()
    .andEquals('graph_id', graph_id)
    .andContains('metadata', metadata)
    .andPasses('metadata', reach);
  return name ? where.and`position(lower(${name}) in lower(name)) > 0` : where;
}

/** Selects one assistant by id or graph name; every read and write of a single assistant uses this. */
const named = (ref: string, reach?: RowFilter): Where =>
  new Where().and`assistant.assistant_id = ${isUuid(ref) ? ref : systemAssistantId(ref)}`.andPasses(
    'assistant.metadata',
    reach,
  );

export async function findAssistant(
  db: Queryable,
  ref: string,
  reach?: RowFilter,
): Promise<Assistant | undefined> {
  const where = named(ref, reach);
  const { rows } = await db.query<Assistant>(`select ${COLUMNS} from assistant ${where.text}`, where.values);
  return rows[0];
}

/** Like `findAssistant`, but locks the row until the transaction ends. */
export async function lockAssistant(
  tx: Queryable,
  ref: string,
  reach?: RowFilter,
): Promise<Assistant | undefined> {
  const where = named(ref, reach);
  const { rows } = await tx.query<Assistant>(
    `select ${COLUMNS} from assistant ${where.text} for update`,
    where.values,
  );
  return rows[0];
}

/** Returns up to one assistant more than `limit`; the extra one means there is another page. */
export async function searchAssistants(
  db: Queryable,
  search: AssistantSearch,
  reach?: RowFilter,
): Promise<Partial<Assistant>[]> {
  const where = listed(search, reach);
  const columns = search.select?.length ? [...new Set(search.select)].join(', ') : COLUMNS;
  const order = search.sort_by === 'assistant_id' ? '' : `${search.sort_by} ${search.sort_order}, `;
  const { rows } = await db.query<Partial<Assistant>>(
    `select ${columns} from assistant ${where.text} order by ${order}assistant_id ${search.sort_order}
     limit ${where.bind(search.limit + 1)} offset ${where.bind(search.offset)}`,
    where.values,
  );
  return rows;
}

export async function countAssistants(
  db: Queryable,
  filter: AssistantCount,
  reach?: RowFilter,
): Promise<number> {
  const where = listed(filter, reach);
  const { rows } = await db.query<{ count: number }>(
    `select count(*) from assistant ${where.text}`,
    where.values,
  );
  return rows[0]!.count;
}

/**
 * Saves a locked assistant as its next version, numbered after the highest one, and merges `metadata` into the
 * existing metadata.
 */
export async function updateAssistant(tx: Queryable, assistant: NewAssistant): Promise<Assistant> {
  const { rows } = await tx.query<Assistant>(
    `with updated as (
       update assistant set graph_id = $2, config = $3, context = $4, metadata = metadata || $5::jsonb, name = $6,
         description = $7, updated_at = clock_timestamp(),
         version = (select max(version) + 1 from assistant_version where assistant_id = $1)
       where assistant_id = $1 returning ${COLUMNS}),
     recorded as (insert into assistant_version (${VERSION_COLUMNS}) select ${AS_VERSION} from updated)
     select ${COLUMNS} from updated`,
    parameters(assistant),
  );
  return rows[0]!;
}

/** Restores an assistant to a version; undefined if the version doesn't exist. */
export async function restoreVersion(
  db: Queryable,
  ref: string,
  version: number,
): Promise<Assistant | undefined> {
  const where = named(ref)
    .and`was.assistant_id = assistant.assistant_id and was.version = ${version}::bigint`;
  const { rows } = await db.query<Assistant>(
    `update assistant set graph_id = was.graph_id, config = was.config, context = was.context,
       metadata = was.metadata, name = was.name, description = was.description, version = was.version,
       updated_at = clock_timestamp()
     from assistant_version was ${where.text} returning ${ASSISTANT_FIELDS.map((field) => `assistant.${field}`).join(', ')}`,
    where.values,
  );
  return rows[0];
}

/** Newest first. */
export async function listVersions(
  db: Queryable,
  assistantId: string,
  { metadata, limit, offset }: VersionSearch,
): Promise<AssistantVersion[]> {
  const where = new Where().and`assistant_id = ${assistantId}`.andContains('metadata', metadata);
  const { rows } = await db.query<AssistantVersion>(
    `select ${VERSION_COLUMNS} from assistant_version ${where.text} order by version desc
     limit ${where.bind(limit)} offset ${where.bind(offset)}`,
    where.values,
  );
  return rows;
}

/** Removes the assistant with its versions; returns false if it doesn't exist. */
export async function deleteAssistant(db: Queryable, id: string): Promise<boolean> {
  const where = named(id);
  const { rowCount } = await db.query(`delete from assistant ${where.text}`, where.values);
  return rowCount !== 0;
}
