export interface ServerEvent {
  event: string;
  data: string;
}

/** Parses a complete event stream; skips comments. */
export function readEvents(text: string): ServerEvent[] {
  const events: ServerEvent[] = [];
  for (const block of text.split('\n\n')) {
    const [, event] = /^event: (.*)$/m.exec(block) ?? [];
    const [, data] = /^data: (.*)$/m.exec(block) ?? [];
    if (event !== undefined) events.push({ event, data: data ?? '' });
  }
  return events;
}
