const SEGMENT =
  /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{6})Z([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Characters per segment. */
export const SEGMENT_LENGTH = 58;

export interface Segment {
  /** ISO 8601, microseconds, UTC. */
  start_time: string;
  id: string;
}

/** Parses a dotted order from root to self (contract §1.4). Undefined if invalid. */
export function readDottedOrder(text: string): Segment[] | undefined {
  const segments: Segment[] = [];
  for (const part of text.split('.')) {
    const [, year, month, day, hour, minute, second, micros, id] = SEGMENT.exec(part) ?? [];
    if (!id) return undefined;
    const start_time = `${year}-${month}-${day}T${hour}:${minute}:${second}.${micros}Z`;
    if (Number.isNaN(Date.parse(start_time))) return undefined;
    segments.push({ start_time, id: id.toLowerCase() });
  }
  return segments;
}

/** The segment of a run. `startTime` is ISO 8601 in UTC with microseconds. */
export const dottedSegment = (startTime: string, id: string): string =>
  `${startTime.replaceAll(/[-:.]/g, '')}${id}`;
