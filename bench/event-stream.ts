export interface ServerEvent {
  event: string;
  data: string;
}

/** The events of a whole event stream; comments are left out. */
export function readEvents(text: string): ServerEvent[] {
  const events: ServerEvent[] = [];
  for (const block of text.split('\n\n')) {
    const [, event] = /^event: (.*)$/m.exec(block) ?? [];
    const [, data] = /^data: (.*)$/m.exec(block) ?? [];
    if (event !== undefined) events.push({ event, data: data ?? '' });
  }
  return events;
}
