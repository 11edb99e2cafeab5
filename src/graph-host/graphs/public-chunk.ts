import { publicFailure } from '../../platform/redaction/public-failure.ts';
import { isObject } from '../../platform/json-object.ts';
import type { ToolFailures } from './tool-failures.ts';

type Fields = Record<string, unknown>;

interface EventRecord {
  event: string;
  run_id: string;
  data: Fields;
}

/** A chunk of the engine as clients may see it: errors without secrets, and no server configuration. */
export function publicChunk(mode: string, data: unknown, tools: ToolFailures): unknown {
  const shape = SHAPES[mode];
  return shape && isObject(data) ? shape(data, tools) : data;
}

/** Like `publicChunk`, for a record of the `events` mode, which may carry a chunk of another mode. */
export function publicRecord<Recorded extends EventRecord>(record: Recorded, tools: ToolFailures): Recorded {
  const { event, data, run_id } = record;
  if (event === 'on_tool_error')
    return { ...record, data: { ...data, error: tools.of(run_id) ?? publicFailure(data['error']) } };
  const { chunk } = data;
  if (event !== 'on_chain_stream' || !Array.isArray(chunk)) return record;
  // [mode, data], or [namespace, mode, data], and since 1.7 a description of the checkpoint.
  const parts: unknown[] = chunk;
  const at = typeof parts[0] === 'string' ? 0 : 1;
  const mode = parts[at];
  if (typeof mode !== 'string' || !(mode in SHAPES)) return record;
  return { ...record, data: { ...data, chunk: parts.with(at + 1, publicChunk(mode, parts[at + 1], tools)) } };
}

const POINT = ['thread_id', 'checkpoint_ns', 'checkpoint_id', 'checkpoint_map'];

const configurableOf = (config: unknown): Fields | undefined => {
  const configurable = isObject(config) ? config['configurable'] : undefined;
  return isObject(configurable) ? configurable : undefined;
};

/** Keeps only the checkpoint's ids, none of the engine's or server's configuration. */
function pointConfig(config: unknown): Fields | null {
  const configurable = configurableOf(config);
  if (!configurable) return null;
  return {
    configurable: Object.fromEntries(
      POINT.filter((key) => key in configurable).map((key) => [key, configurable[key]]),
    ),
  };
}

/** The checkpoint in a configuration, in the form in which clients send it back. */
function pointOf(config: unknown): Fields | null {
  const { thread_id, checkpoint_id, checkpoint_ns, checkpoint_map } = configurableOf(config) ?? {};
  if (!thread_id) return null;
  return {
    thread_id,
    checkpoint_id: checkpoint_id ?? null,
    checkpoint_ns: checkpoint_ns ?? '',
    checkpoint_map: checkpoint_map ?? null,
  };
}

const savedPointOf = (config: unknown): Fields | null => {
  const point = pointOf(config);
  return point?.['checkpoint_id'] ? point : null;
};

function publicCheckpoint({ parentConfig, ...data }: Fields): Fields {
  // Clients see only the checkpoint's ids.
  if (!('values' in data)) return data;
  const parent = parentConfig ?? data['parent_config'];
  const { config, tasks } = data;
  return {
    ...data,
    config: pointConfig(config),
    parent_config: pointConfig(parent),
    checkpoint: savedPointOf(config),
    parent_checkpoint: savedPointOf(parent),
    ...(Array.isArray(tasks) && { tasks: tasks.map(publicCheckpointTask) }),
  };
}

function publicCheckpointTask(task: unknown): unknown {
  if (!isObject(task)) return task;
  const { state, ...rest } = task;
  const checkpoint = pointOf(state);
  return {
    ...(checkpoint ? { ...rest, checkpoint } : task),
    ...('error' in task && { error: errorText(task['error']) }),
  };
}

/** Adds a null `error` to successful tasks, as the engine omits it and clients expect it. */
function publicTask(data: Fields): Fields {
  return 'result' in data ? { ...data, error: errorText(data['error']) } : data;
}

const errorText = (error: unknown): string | null => (error ? JSON.stringify(publicFailure(error)) : null);

function publicDebug(data: Fields): Fields {
  const { type, payload } = data;
  if (!isObject(payload)) return data;
  if (type === 'checkpoint') return { ...data, payload: publicCheckpoint(payload) };
  return type === 'task_result' ? { ...data, payload: publicTask(payload) } : data;
}

function publicTool(data: Fields, tools: ToolFailures): Fields {
  const { event, message } = data;
  if (event === 'on_tool_error') return { ...data, error: publicFailure(data['error']) };
  return event === 'tool-error'
    ? { ...data, message: (tools.of(message) ?? publicFailure(message)).message }
    : data;
}

const SHAPES: Record<string, (data: Fields, tools: ToolFailures) => Fields> = {
  tasks: publicTask,
  checkpoints: publicCheckpoint,
  debug: publicDebug,
  tools: publicTool,
};
