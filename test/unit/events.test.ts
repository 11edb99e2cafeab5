import { describe, expect, test } from '@jest/globals';
import {
  endPayload,
  gonePayload,
  packEvents,
  unpackNotice,
} from '../../src/agent-server/events/event-frame.ts';
import { EventClock, isAfter, parseLastEventId, START } from '../../src/agent-server/events/event-id.ts';

const RUN = '0195f0a2-0000-7000-8000-000000000001';
const event = (seq: number, data: string) => ({ id: { ms: 1_700_000_000_000, seq }, event: 'custom', data });

describe('event ids', () => {
  test('never go back and never repeat, even within one millisecond', () => {
    const clock = new EventClock(1_000, 5_000);
    let last = START;
    for (let n = 0; n < 5_000; n++) {
      const id = clock.next();
      expect(isAfter(id, last)).toBe(true);
      last = id;
    }
    expect(last.ms).toBeGreaterThan(5_000);
  });

  test.each([
    ['-', START],
    ['-1', START],
    ['1700000000000-3', { ms: 1_700_000_000_000, seq: 3 }],
    ['1700000000000', { ms: 1_700_000_000_000, seq: 0 }],
    ['1700000000000-*', { ms: 1_700_000_000_000, seq: Number.MAX_SAFE_INTEGER }],
  ])('Last-Event-ID %s is understood', (text, id) => {
    expect(parseLastEventId(text)).toEqual(id);
  });

  test.each(['x', '1-2-3', '--', '1 2'])('Last-Event-ID %s is refused', (text) => {
    expect(() => parseLastEventId(text)).toThrow('Invalid Last-Event-ID');
  });

  test('without Last-Event-ID, only live events', () => {
    expect(parseLastEventId(undefined)).toBeUndefined();
    expect(parseLastEventId('')).toBeUndefined();
  });
});

describe('notifications', () => {
  test('survive a round trip', () => {
    const events = [event(0, '{"a":1}'), event(1, '"ü\\u001f"')];
    const { payloads, oversized } = packEvents(RUN, events);
    expect(payloads).toHaveLength(1);
    expect(oversized).toEqual([]);
    expect(unpackNotice(payloads[0]!)).toEqual({ kind: 'events', run_id: RUN, events });
  });

  test("stay below Postgres' limit in bytes, and keep the order around an oversized event", () => {
    const events = [...Array(50).keys()].map((seq) => event(seq, JSON.stringify('ü'.repeat(200))));
    const large = event(50, JSON.stringify('x'.repeat(9_000)));
    const { payloads, oversized } = packEvents(RUN, [...events, large, event(51, '1')]);
    for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
    expect(oversized).toEqual([large]);
    const seen = payloads.map(unpackNotice).flatMap((notice) => {
      if (notice.kind === 'events') return notice.events.map(({ id }) => id.seq);
      return notice.kind === 'stored' ? [notice.id.seq] : [];
    });
    expect(seen).toEqual([...Array(52).keys()]);
  });

  test('an output too large is left for the reader to fetch', () => {
    const small = unpackNotice(endPayload(RUN, { status: 'success', output: '{"a":1}' }));
    expect(small).toEqual({ kind: 'end', run_id: RUN, end: { status: 'success', output: '{"a":1}' } });
    const large = unpackNotice(
      endPayload(RUN, { status: 'success', output: JSON.stringify('x'.repeat(8_000)) }),
    );
    expect(large).toEqual({ kind: 'end', run_id: RUN, end: { status: 'success' } });
    expect(unpackNotice(gonePayload(RUN))).toEqual({ kind: 'gone', run_id: RUN });
  });
});
