import { expect, test } from '@jest/globals';
import type { EventId } from '../../src/agent-server/events/event-id.ts';
import type { Envelope } from '../../src/agent-server/protocol/envelope.ts';
import { EventOrder } from '../../src/agent-server/protocol/event-order.ts';

const at = (ms: number): EventId => ({ ms, seq: 0 });
const event = (seq: number, method: Envelope['method']): Envelope => ({
  type: 'event',
  event_id: `${seq}-0`,
  seq,
  method,
  params: { namespace: [], timestamp: 0, data: null },
});
const [values, completed] = [event(1, 'values'), event(2, 'lifecycle')];

test('the end of a run waits for slower readers', () => {
  const order = new EventOrder();
  order.add([completed], at(2));
  expect(order.take([at(0), at(2)])).toEqual([]);
  expect(order.oldest).toBe(completed.event_id);
  order.add([values], at(1));
  expect(order.take([at(1), at(2)])).toEqual([values]);
  expect(order.take([at(2), at(2)])).toEqual([completed]);
  expect(order.oldest).toBeUndefined();
});

test('events from several readers are sent once, in thread order', () => {
  const order = new EventOrder();
  order.add([values, completed], at(2));
  order.add([completed], at(2));
  order.add([values], at(2));
  expect(order.take([at(2), at(3), at(2)])).toEqual([values, completed]);
  expect(order.take([at(3)])).toEqual([]);
});

test('without readers all events are sent', () => {
  const order = new EventOrder();
  order.add([completed], at(9));
  order.add([values], at(8));
  expect(order.take()).toEqual([values, completed]);
});
