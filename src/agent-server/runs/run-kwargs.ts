import { InvalidRequest } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import type { JsonObject } from '../../platform/schema.ts';
import type { Caller } from '../caller.ts';
import { clientConfigurable, clientMetadata } from '../reserved-keys.ts';
import type { RunCreate, RunKwargs, RunnableConfig } from '../records/run.ts';

export interface RunOrigin {
  run_id: string;
  thread_id: string;
  request_id: string;
  /** Values added to every run of this caller (contract §13.2). */
  caller: Pick<Caller, 'configurable' | 'user'>;
  /** The requested URL, if the project allows it. */
  webhook?: string | undefined;
  temporary: boolean;
  /** Metadata set by the server. */
  metadata?: JsonObject;
  assistant: {
    assistant_id: string;
    graph_id: string;
    config: RunnableConfig;
    context: JsonObject;
    metadata: JsonObject;
  };
  thread: { config: RunnableConfig; metadata: JsonObject };
}

/**
 * Resolves the run's arguments and metadata (contract §5.1). Configuration merges assistant, thread and request, where
 * later ones win; `configurable` and `context` mirror each other. Throws InvalidRequest.
 */
export function resolveRun(
  create: RunCreate,
  origin: RunOrigin,
): { kwargs: RunKwargs; metadata: JsonObject } {
  const { assistant, thread } = origin;
  const { config = {} } = create;
  const context = clientConfigurable(create.context);
  const configurable = clientConfigurable(config.configurable);
  refuseBoth(configurable, context);
  const given = Object.keys(context).length > 0 ? context : configurable;
  const base = { ...assistant.config.configurable, ...thread.config.configurable };
  const metadata = {
    ...assistant.metadata,
    ...thread.metadata,
    ...clientMetadata(config.metadata),
    ...clientMetadata(create.metadata),
    ...origin.metadata,
    assistant_id: assistant.assistant_id,
    graph_id: assistant.graph_id,
  };
  delete (metadata as JsonObject)['created_by'];
  const tags = [...(assistant.config.tags ?? []), ...(thread.config.tags ?? []), ...(config.tags ?? [])];
  const recursionLimit =
    config.recursion_limit ?? thread.config.recursion_limit ?? assistant.config.recursion_limit;
  const kwargs: RunKwargs = {
    input: create.input ?? null,
    command: create.command ?? null,
    config: {
      ...(tags.length > 0 && { tags: [...new Set(tags)] }),
      ...(recursionLimit !== undefined && { recursion_limit: recursionLimit }),
      metadata,
      configurable: {
        user_id: '',
        ...base,
        ...given,
        ...forkPoint(create),
        run_id: origin.run_id,
        thread_id: origin.thread_id,
        graph_id: assistant.graph_id,
        assistant_id: assistant.assistant_id,
        ...origin.caller.configurable,
        ...(origin.caller.user && { user_id: origin.caller.user.identity }),
        langgraph_request_id: origin.request_id,
      },
    },
    context: { ...assistant.context, ...base, ...given },
    stream_mode: [create.stream_mode ?? 'values'].flat(),
    interrupt_before: create.interrupt_before ?? null,
    interrupt_after: create.interrupt_after ?? null,
    webhook: origin.webhook ?? null,
    feedback_keys: create.feedback_keys ?? null,
    temporary: origin.temporary,
    subgraphs: create.stream_subgraphs ?? false,
    resumable: create.stream_resumable ?? false,
    ...durabilityOf(create),
  };
  const { checkpoint_id } = kwargs.config.configurable;
  if (typeof checkpoint_id === 'string' && checkpoint_id !== '' && !isUuid(checkpoint_id))
    throw new InvalidRequest('configurable.checkpoint_id must be a UUID');
  return { kwargs, metadata };
}

/** Throws InvalidRequest if both are given: they are two ways to set the same values. */
export function refuseBoth(configurable: JsonObject, context: JsonObject): void {
  if (Object.keys(configurable).length > 0 && Object.keys(context).length > 0) {
    throw new InvalidRequest('Cannot specify both configurable and context. Use only one.');
  }
}

function durabilityOf({
  durability,
  checkpoint_during,
}: RunCreate): Pick<RunKwargs, 'durability' | 'checkpoint_during'> {
  const resolved = durability ?? (checkpoint_during === false ? 'exit' : 'async');
  return { durability: resolved, checkpoint_during: resolved !== 'exit' };
}

function forkPoint({ checkpoint, checkpoint_id }: RunCreate): JsonObject {
  return {
    ...(checkpoint?.checkpoint_ns !== undefined && { checkpoint_ns: checkpoint.checkpoint_ns }),
    ...(checkpoint?.checkpoint_map && { checkpoint_map: checkpoint.checkpoint_map }),
    ...((checkpoint?.checkpoint_id ?? checkpoint_id) && {
      checkpoint_id: checkpoint?.checkpoint_id ?? checkpoint_id,
    }),
  };
}
