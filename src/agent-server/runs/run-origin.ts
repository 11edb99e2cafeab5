import { InvalidRequest } from '../../platform/errors.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { isUuid, systemAssistantId } from '../../platform/ids.ts';
import { AssistantNotFound } from '../errors.ts';
import type { RunOrigin } from './run-kwargs.ts';

interface OriginRow {
  assistant_id: string | null;
  graph_id: string;
  config: RunOrigin['assistant']['config'];
  context: Record<string, unknown>;
  metadata: Record<string, unknown>;
  thread_found: boolean;
  thread_config: RunOrigin['thread']['config'] | null;
  thread_metadata: Record<string, unknown> | null;
}

export interface LoadedOrigin {
  assistant: RunOrigin['assistant'];
  /** Undefined if the thread does not exist. */
  thread: RunOrigin['thread'] | undefined;
  /** True if the server created the assistant for a graph. */
  isSystem: boolean;
}

/** Reads a run's assistant (by id or graph name) and thread in one query. */
export async function loadOrigin(
  db: Queryable,
  assistantRef: string,
  threadId: string | null,
  graphIds: string[],
): Promise<LoadedOrigin> {
  const named = graphIds.includes(assistantRef);
  if (!named && !isUuid(assistantRef)) {
    const known = graphIds.join(', ');
    throw new InvalidRequest(`Invalid assistant: '${assistantRef}'. Must be a UUID or one of: ${known}`);
  }
  const { rows } = await db.query<OriginRow>(ORIGIN, [
    named ? systemAssistantId(assistantRef) : assistantRef,
    threadId,
  ]);
  const row = rows[0]!;
  if (row.assistant_id === null) throw new AssistantNotFound(assistantRef);
  const { assistant_id, graph_id, config, context, metadata } = row;
  return {
    assistant: { assistant_id, graph_id, config, context, metadata },
    thread: row.thread_found
      ? { config: row.thread_config ?? {}, metadata: row.thread_metadata ?? {} }
      : undefined,
    isSystem: named || graphIds.some((id) => systemAssistantId(id) === assistant_id),
  };
}

const ORIGIN = {
  name: 'run-origin',
  text: `select a.assistant_id, a.graph_id, a.config, a.context, a.metadata, t.thread_id is not null as thread_found,
       t.config as thread_config, t.metadata as thread_metadata
     from (select) one left join assistant a on a.assistant_id = $1 left join thread t on t.thread_id = $2`,
};
