import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';
import { useReceiver } from '../support/webhook-receiver.ts';
import { clientOf, collect, SDKS, type SdkClient } from './js-sdk-clients.ts';

const api = useApi();
const receiver = useReceiver();

type Start = (client: SdkClient, threadId: string | null, webhook: string) => Promise<unknown>;

const starts: [name: string, start: Start][] = [
  [
    'create',
    (client, threadId, webhook) => client.runs.create(threadId, 'echo', { input: { text: 'hi' }, webhook }),
  ],
  [
    'stream',
    (client, threadId, webhook) =>
      collect(client.runs.stream(threadId as never, 'echo', { input: { text: 'hi' }, webhook })),
  ],
  [
    'wait',
    (client, threadId, webhook) =>
      client.runs.wait(threadId as never, 'echo', { input: { text: 'hi' }, webhook }),
  ],
];

describe.each(SDKS)('langgraph-sdk %s webhooks', (_version, Sdk) => {
  test.each(starts)(
    '%s calls its webhook when the run ends, with and without a thread',
    async (_name, start) => {
      const client = clientOf(Sdk, api);
      const { thread_id } = await client.threads.create();
      for (const id of [thread_id, null]) {
        const path = `/${randomUUID()}`;
        await start(client, id, receiver.url + path);
        const [one] = await receiver.wait((request) => request.path === path);
        expect(one!.json).toMatchObject({ status: 'success', kwargs: { input: { text: 'hi' } } });
        if (id) expect(await client.runs.get(id, one!.json.run_id)).toMatchObject({ status: 'success' });
      }
    },
  );
});
