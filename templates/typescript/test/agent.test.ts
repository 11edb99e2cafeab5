import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command, MemorySaver } from '@langchain/langgraph';
import { createAgent } from '../src/agent.ts';
import { ScriptedModel } from '../src/scripted-model.ts';

const graph = createAgent(new ScriptedModel()).compile({ checkpointer: new MemorySaver() });

const ask = (thread_id: string, content: string) =>
  graph.invoke({ messages: [{ role: 'user', content }] }, { configurable: { thread_id } });

const decide = async (thread_id: string, approved: boolean) => {
  const { messages } = await graph.invoke(new Command({ resume: approved }), { configurable: { thread_id } });
  return messages.at(-1)?.text;
};

test('looks up an order', async () => {
  const { messages } = await ask('1', 'What is in order 1001?');
  assert.equal(messages.at(-1)?.text, 'Order 1001 is a teapot for €24.');
});

test('refunds an order once a person approves', async () => {
  const { __interrupt__ } = (await ask('2', 'Please refund order 1001')) as { __interrupt__?: unknown[] };
  assert.deepEqual(
    __interrupt__?.map((found) => (found as { value: unknown }).value),
    [{ action: 'refund', order_id: '1001', amount: 24 }],
  );
  assert.equal(await decide('2', true), 'Refunded €24 for order 1001.');
});

test('refunds nothing when a person declines', async () => {
  await ask('3', 'Please refund order 1002');
  assert.equal(await decide('3', false), 'The refund was declined.');
});
