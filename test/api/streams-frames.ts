export interface Frame {
  event: string;
  data: any;
  id?: string;
}

/** Frames of a stream as it was sent; a line that belongs to none of its parts fails. */
export function framesOf(text: string): Frame[] {
  const blocks = text.split('\n\n').filter((block) => block !== '' && block !== ': heartbeat');
  return blocks.map((block) => {
    const [, event, data, id] = /^event: (\S+)\ndata: ([^\n]*)(?:\nid: (\d+-\d+))?$/.exec(block)!;
    return { event: event!, data: JSON.parse(data!), ...(id !== undefined && { id }) };
  });
}

export const heartbeatsIn = (text: string) =>
  text.split('\n\n').filter((block) => block === ': heartbeat').length;
