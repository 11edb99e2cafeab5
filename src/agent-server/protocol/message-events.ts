import { emptyBlock, finishedBlock, growBlock, type Piece, piecesOf } from './content-blocks.ts';
import { type Draft, type Fields, isRecord } from './envelope.ts';

interface Streaming {
  id: string;
  /** Where the node that writes it executes, the node's own segment included. */
  place: string[];
  node: string | undefined;
  blocks: { key: string; block: Piece['block']; finished: boolean }[];
  usage: Fields | undefined;
  response: Fields;
}

const ROLES: Record<string, string> = {
  AIMessageChunk: 'ai',
  assistant: 'ai',
  user: 'human',
  developer: 'system',
};

/** Tells messages of a run as content blocks that start, grow and finish (contract §15.2). */
export class MessageEvents {
  readonly #open = new Map<string, Streaming>();
  readonly #told = new Set<string>();

  /** @param place Namespace of the source event: it ends with the segment of the node. */
  add(message: Fields, metadata: Fields, place: string[], fallbackId: string): Draft[] {
    const id = typeof message['id'] === 'string' ? message['id'] : fallbackId;
    if (this.#told.has(id)) return [];
    const drafts: Draft[] = [];
    let streaming = this.#open.get(id);
    if (!streaming) {
      const node = metadata['langgraph_node'];
      streaming = {
        id,
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
    if (isRecord(message['usage_metadata']))
      streaming.usage = summed(streaming.usage, message['usage_metadata']);
    if (isRecord(message['response_metadata']))
      Object.assign(streaming.response, message['response_metadata']);
    if (message['type'] !== 'AIMessageChunk') drafts.push(...this.#finish(streaming));
    return drafts;
  }

  /** The node is done, and so are the messages it and its subgraphs wrote. */
  endAt(place: string[]): Draft[] {
    return [...this.#open.values()]
      .filter((streaming) => place.every((segment, index) => streaming.place[index] === segment))
      .flatMap((streaming) => this.#finish(streaming));
  }

  /** Nothing more comes of what is still open: the attempt or the run was cut off. */
  abandon(message: string): Draft[] {
    const open = [...this.#open.values()];
    this.#open.clear();
    return open.map((streaming) => {
      this.#told.add(streaming.id);
      return draft(streaming, { event: 'error', message, code: 'aborted' });
    });
  }

  #finish(streaming: Streaming): Draft[] {
    this.#open.delete(streaming.id);
    this.#told.add(streaming.id);
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

const draft = ({ id, place, node }: Streaming, data: Fields): Draft => ({
  method: 'messages',
  namespace: place.slice(0, -1),
  node,
  // The ids let readers tell apart messages that are written at the same time.
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

/** A block ends when the next one begins: blocks of a message do not interleave. */
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
  // A piece that comes late has the block finished once more, with all of it.
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

/** Chunks carry their share of the usage. */
function summed(before: Fields | undefined, more: Fields): Fields {
  const sum: Fields = { ...before };
  for (const [key, value] of Object.entries(more)) {
    const known = sum[key];
    if (typeof value === 'number') sum[key] = (typeof known === 'number' ? known : 0) + value;
    else sum[key] = isRecord(value) ? summed(isRecord(known) ? known : undefined, value) : value;
  }
  return sum;
}
