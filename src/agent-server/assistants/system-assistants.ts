import { type Database, inPipeline, type Statement } from '../../platform/db/database.ts';
import { sealedJson } from '../../platform/db/sealing.ts';
import { systemAssistantId } from '../../platform/ids.ts';
import type { Assistant } from '../records/assistant.ts';

// An arbitrary constant; processes that start together take turns.
const ADVISORY_LOCK = 7_305_548;

export interface SystemAssistant {
  graph_id: string;
  description?: string | undefined;
  /** Applied until someone changes the assistant. */
  settings?: Pick<Assistant, 'config' | 'context'> | undefined;
}

/**
 * Syncs the system assistants with the project's graphs at startup: one per graph, with its name and description;
 * removes those of deleted graphs. Keeps everything that users created or changed.
 */
export async function syncSystemAssistants(db: Database, graphs: SystemAssistant[]): Promise<void> {
  const ids = graphs.map(({ graph_id }) => systemAssistantId(graph_id));
  await inPipeline(db, [
    { text: 'select pg_advisory_xact_lock($1)', values: [ADVISORY_LOCK] },
    {
      // Clients can set this metadata too, but only the server derives ids from names (UUID version 5).
      text: `delete from assistant where metadata @> '{"created_by": "system"}'
          and substr(assistant_id::text, 15, 1) = '5' and assistant_id <> all($1::uuid[])`,
      values: [ids],
    },
    {
      text: `insert into assistant (assistant_id, graph_id, name, description, metadata, created_at, updated_at)
        select id, graph_id, graph_id, description, '{"created_by": "system"}', t, t
        from clock_timestamp() t, unnest($1::uuid[], $2::text[], $3::text[]) graph (id, graph_id, description)
        on conflict (assistant_id) do update set graph_id = excluded.graph_id, name = excluded.name,
          description = excluded.description, updated_at = excluded.updated_at
        where (assistant.graph_id, assistant.name, assistant.description)
          is distinct from (excluded.graph_id, excluded.name, excluded.description)`,
      values: [
        ids,
        graphs.map(({ graph_id }) => graph_id),
        graphs.map(({ description }) => description ?? null),
      ],
    },
    ...graphs.flatMap(({ graph_id, settings }) => (settings ? [settingsStatement(graph_id, settings)] : [])),
    {
      text: `insert into assistant_version (assistant_id, version, graph_id, config, context, metadata, name,
          description, created_at)
        select assistant_id, version, graph_id, config, context, metadata, name, description, updated_at
        from assistant where assistant_id = any($1::uuid[])
        on conflict (assistant_id, version) do update set graph_id = excluded.graph_id, name = excluded.name,
          description = excluded.description, config = excluded.config, context = excluded.context`,
      values: [ids],
    },
  ]);
}

const settingsStatement = (
  graphId: string,
  { config, context }: NonNullable<SystemAssistant['settings']>,
): Statement => ({
  text: 'update assistant set config = $2, context = $3 where assistant_id = $1 and version = 1',
  values: [
    systemAssistantId(graphId),
    sealedJson('assistant', 'config', config),
    sealedJson('assistant', 'context', context),
  ],
});
