export interface EventFrame<Data> {
  id: string;
  event: string;
  data: Data;
}

/** Yields the events of a stream as they arrive. Throws if the connection breaks. */
export async function* readFrames<Data>(response: Response): AsyncGenerator<EventFrame<Data>> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const parts = text.split('\n\n');
    text = parts.pop()!;
    for (const part of parts) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1] ?? '';
      if (field('event'))
        yield { id: field('id'), event: field('event'), data: JSON.parse(field('data')) as Data };
    }
  }
}
