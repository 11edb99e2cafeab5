export interface Frame {
  event: string;
  data: any;
  id?: string;
}

/** Parses a stream's frames; fails on any line that is not part of one. */
export function framesOf(text: string): Frame[] {
  const blocks = text.split('\n\n').filter((block) => block !== '' && block !== ': heartbeat');
  return blocks.map((block) => {
    const [, event, data, id] = /^event: (\S+)\ndata: ([^\n]*)(?:\nid: (\d+-\d+))?$/.exec(block)!;
    return { event: event!, data: JSON.parse(data!), ...(id !== undefined && { id }) };
  });
}

export const heartbeatsIn = (text: string) =>
  text.split('\n\n').filter((block) => block === ': heartbeat').length;
