import { isObject } from '../../platform/json-object.ts';

interface StreamedMessage {
  id?: string;
  concat?(other: unknown): StreamedMessage;
}

export interface AccumulatedEvent {
  event: 'metadata' | 'partial' | 'complete';
  data: unknown;
}

/** The `messages` stream mode: each chunk appears as the whole message so far (contract §6.3). */
export class MessageAccumulator {
  readonly #messages = new Map<string, StreamedMessage>();
  /** Messages that came in chunks and are not in the state yet. */
  readonly #unfinished = new Set<string>();

  *add(message: StreamedMessage, metadata: object): Generator<AccumulatedEvent> {
    const { id } = message;
    if (id === undefined) return;
    const before = this.#messages.get(id);
    if (!before) yield { event: 'metadata', data: { [id]: { metadata } } };
    // Only chunks are concatenated; a whole message arrives once.
    const whole = typeof message.concat !== 'function';
    const now = before && !whole ? before.concat!(message) : message;
    this.#messages.set(id, now);
    if (whole) this.#unfinished.delete(id);
    else this.#unfinished.add(id);
    yield { event: whole ? 'complete' : 'partial', data: [now] };
  }

  /** Completes the streamed messages that a state has taken up. */
  *finish(state: unknown): Generator<AccumulatedEvent> {
    if (this.#unfinished.size === 0 || !isObject(state)) return;
    const complete = [state['messages']].flat().filter((message) => {
      const { id } = (message ?? {}) as StreamedMessage;
      return id !== undefined && this.#unfinished.delete(id);
    });
    if (complete.length > 0) yield { event: 'complete', data: complete };
  }
}
