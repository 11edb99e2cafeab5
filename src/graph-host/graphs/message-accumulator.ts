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

  *add(message: StreamedMessage, metadata: object): Generator<AccumulatedEvent> {
    const { id } = message;
    if (id === undefined) return;
    const before = this.#messages.get(id);
    if (!before) yield { event: 'metadata', data: { [id]: { metadata } } };
    // Only chunks are concatenated; a whole message arrives once.
    const whole = typeof message.concat !== 'function';
    const now = before && !whole ? before.concat!(message) : message;
    this.#messages.set(id, now);
    yield { event: whole ? 'complete' : 'partial', data: [now] };
  }
}
