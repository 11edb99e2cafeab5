import { isObject } from '../../platform/json-object.ts';
import { emptyBlock, finishedBlock, growBlock, type Piece, piecesOf } from './content-blocks.ts';
import { type Draft, type Fields } from './envelope.ts';

interface Streaming {
  id: string;
  /** Namespace of the graph that writes the message. */
  namespace: string[];
  /** Namespaces of the tasks that write it, outermost first; the last is the node's. */
  place: string[];
  node: string | undefined;
  blocks: { key: string; block: Piece['block']; finished: boolean }[];
  usage: Fields | undefined;
  response: Fields;
}

type MessagePlace = Pick<Streaming, 'namespace' | 'place'>;

/**
 * Finds where a message is written. Until 1.7 the engine sent messages under the namespace of the node's task, which
 * the metadata names; since then, under the graph's.
 */
export function placeOf(namespace: string[], metadata: Fields): MessagePlace {
  const task = metadata['langgraph_checkpoint_ns'] ?? metadata['checkpoint_ns'];
  if (typeof task !== 'string' || task === '') return { namespace: namespace.slice(0, -1), place: namespace };
  const isTask = namespace.join('|') === task;
  return { namespace: isTask ? namespace.slice(0, -1) : namespace, place: task.split('|') };
}

const ROLES: Record<string, string> = {
  AIMessageChunk: 'ai',
  assistant: 'ai',
  user: 'human',
  developer: 'system',
};

/** Converts a run's messages to content blocks that start, grow and finish (contract §15.2). */
export class MessageEvents {
  readonly #open = new Map<string, Streaming>();
  readonly #finished = new Set<string>();

  add(message: Fields, metadata: Fields, { namespace, place }: MessagePlace, fallbackId: string): Draft[] {
    const id = typeof message['id'] === 'string' ? message['id'] : fallbackId;
    if (this.#finished.has(id)) return [];
    const drafts: Draft[] = [];
    let streaming = this.#open.get(id);
    if (!streaming) {
      const node = metadata['langgraph_node'];
      streaming = {
        id,
        namespace,
        place,
        node: typeof node === 'string' ? node : undefined,
        blocks: [],
        usage: undefined,
        response: {},
      };
      this.#open.set(id, streaming);
      drafts.push(draft(streaming, startOf(message, metadata)));
    } else if (message['type'] !== 'AIMessageChunk') return this.#finish(streaming);
    for (const piece of piecesOf(message)) drafts.push(...grow(streaming, piece));
    if (isObject(message['usage_metadata']))
      streaming.usage = summed(streaming.usage, message['usage_metadata']);
    if (isObject(message['response_metadata']))
      Object.assign(streaming.response, message['response_metadata']);
    if (message['type'] !== 'AIMessageChunk') drafts.push(...this.#finish(streaming));
    return drafts;
  }

  /** Ends the messages that a finished task and its subgraphs wrote. */
  endAt(task: string): Draft[] {
    return [...this.#open.values()]
      .filter(({ place }) => place.includes(task))
      .flatMap((streaming) => this.#finish(streaming));
  }

  /** Ends all messages. */
  endAll(): Draft[] {
    return [...this.#open.values()].flatMap((streaming) => this.#finish(streaming));
  }

  /** Closes the open messages as errors: the attempt or the run was cut off. */
  abandon(message: string): Draft[] {
    const open = [...this.#open.values()];
    this.#open.clear();
    return open.map((streaming) => {
      this.#finished.add(streaming.id);
      return draft(streaming, { event: 'error', message, code: 'aborted' });
    });
  }

  #finish(streaming: Streaming): Draft[] {
    this.#open.delete(streaming.id);
    this.#finished.add(streaming.id);
    const { usage, response } = streaming;
    return [
      ...finishBlocks(streaming),
      draft(streaming, {
        event: 'message-finish',
        ...(usage && { usage }),
        ...(Object.keys(response).length > 0 && { metadata: response }),
      }),
    ];
  }
}

const draft = ({ id, namespace, node }: Streaming, data: Fields): Draft => ({
  method: 'messages',
  namespace,
  node,
  // Readers use the ids to separate messages written at the same time.
  data: { ...data, id, run_id: id },
});

function startOf(message: Fields, metadata: Fields): Fields {
  const type = (message['type'] as string | undefined) ?? 'ai';
  const about = {
    provider: metadata['ls_provider'],
    model: metadata['ls_model_name'],
    model_type: metadata['ls_model_type'],
    langgraph_node: metadata['langgraph_node'],
  };
  const known = Object.entries(about).filter(([, value]) => typeof value === 'string');
  return {
    event: 'message-start',
    role: ROLES[type] ?? type,
    ...(typeof message['tool_call_id'] === 'string' && { tool_call_id: message['tool_call_id'] }),
    ...(known.length > 0 && { metadata: Object.fromEntries(known) }),
  };
}

/** Starting a block ends the previous one: blocks of a message don't interleave. */
function grow(streaming: Streaming, { key, block: piece }: Piece): Draft[] {
  const { blocks } = streaming;
  let index = blocks.findIndex((known) => known.key === key);
  const drafts: Draft[] = [];
  if (index < 0) {
    drafts.push(...finishBlocks(streaming));
    index = blocks.length;
    const block = { ...emptyBlock(piece) };
    blocks.push({ key, block, finished: false });
    drafts.push(draft(streaming, { event: 'content-block-start', index, content: { ...block } }));
    if (!GROWS.has(piece.type)) return drafts;
  }
  const target = blocks[index]!;
  const delta = growBlock(target.block, piece);
  if (!delta) return drafts;
  // A late piece makes the block finish again, with its full content.
  target.finished = false;
  return [...drafts, draft(streaming, { event: 'content-block-delta', index, delta })];
}

const GROWS = new Set(['text', 'reasoning', 'tool_call_chunk']);

function finishBlocks(streaming: Streaming): Draft[] {
  return streaming.blocks.flatMap((entry, index) => {
    if (entry.finished) return [];
    entry.finished = true;
    return [draft(streaming, { event: 'content-block-finish', index, content: finishedBlock(entry.block) })];
  });
}

/** Adds up usage: each chunk carries its share. */
function summed(before: Fields | undefined, more: Fields): Fields {
  const sum: Fields = { ...before };
  for (const [key, value] of Object.entries(more)) {
    const known = sum[key];
    if (typeof value === 'number') sum[key] = (typeof known === 'number' ? known : 0) + value;
    else sum[key] = isObject(value) ? summed(isObject(known) ? known : undefined, value) : value;
  }
  return sum;
}
