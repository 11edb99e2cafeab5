import type { AgentApi, Json } from '../agent-api.ts';
import { type ServerEvent, readEvents } from '../event-stream.ts';
import { token } from '../graphs/tokens.ts';
import type { StreamedReply } from '../http-client.ts';
import { rounds } from '../pacing.ts';
import { expectEqual, type Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';

const CUSTOM = 20_000;
const MESSAGES = 8_000;
const STREAMS = 10;
const CUSTOM_EACH = 3_000;
const ROUNDS = 3;

const customEvents = (api: AgentApi, count: number) => api.stream('tokens', { custom: count }, 'custom');

/** Checks that every event arrived once, in order. */
function checkAll(
  reply: StreamedReply,
  event: string,
  count: number,
  textOf: (data: string) => unknown,
): void {
  const [first, ...rest] = readEvents(reply.text);
  expectEqual(first?.event, 'metadata', 'First event of a stream');
  expectEqual(rest.length, count, 'Events of a stream');
  rest.forEach((sent: ServerEvent, index) => {
    expectEqual([sent.event, textOf(sent.data)], [event, token(index)], `Event ${index}`);
  });
}

const customText = (data: string): unknown => (JSON.parse(data) as Json)['text'];
const messageText = (data: string): unknown => (JSON.parse(data) as [Json])[0]['content'];
const seconds = ({ sentAt, endedAt }: StreamedReply): number => (endedAt - sentAt) / 1000;

export const oneStream: Scenario = {
  name: 'stream',
  goals: [
    {
      name: 'stream-custom',
      unit: 'events/s',
      target: { atLeast: 12_000 },
      floor: 'custom_events_per_s',
      about: 'custom events of one run, from the request to the end of its stream',
    },
    {
      name: 'stream-messages',
      unit: 'events/s',
      target: { atLeast: 6_000 },
      floor: 'message_tokens_per_s',
      about: 'message tokens of one run (messages-tuple), from the request to the end of its stream',
    },
  ],
  async measure(api) {
    await customEvents(api, CUSTOM);
    const custom = await rounds(ROUNDS, async () => {
      const reply = await customEvents(api, CUSTOM);
      checkAll(reply, 'custom', CUSTOM, customText);
      return CUSTOM / seconds(reply);
    });
    const messages = await rounds(ROUNDS, async () => {
      const reply = await api.stream('tokens', { messages: MESSAGES }, 'messages-tuple');
      checkAll(reply, 'messages', MESSAGES, messageText);
      return MESSAGES / seconds(reply);
    });
    return {
      figures: { 'stream-custom': { value: median(custom) }, 'stream-messages': { value: median(messages) } },
      operations: 2 * ROUNDS + 1,
    };
  },
};

export const tenStreams: Scenario = {
  name: 'streams-10',
  goals: [
    {
      name: 'streams-10',
      unit: 'events/s',
      target: { atLeast: 7_000 },
      floor: 'custom_events_per_s',
      about: 'custom events of ten concurrent runs, from the first request to the end of the last stream',
    },
  ],
  async measure(api) {
    const rates = await rounds(ROUNDS, async () => {
      const start = performance.now();
      const replies = await Promise.all(
        Array.from({ length: STREAMS }, () => customEvents(api, CUSTOM_EACH)),
      );
      const took = (performance.now() - start) / 1000;
      for (const reply of replies) checkAll(reply, 'custom', CUSTOM_EACH, customText);
      return (STREAMS * CUSTOM_EACH) / took;
    });
    return { figures: { 'streams-10': { value: median(rates) } }, operations: STREAMS * ROUNDS };
  },
};
