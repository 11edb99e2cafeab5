import { AIMessage } from '@langchain/core/messages';
import { Command, END, interrupt, MessagesValue, START, StateGraph, StateSchema } from '@langchain/langgraph';
import { z } from 'zod';

const State = new StateSchema({
  messages: MessagesValue,
  to: z.string().default('team@example.com').describe('Who the email goes to'),
  draft: z.string().default(''),
});

/** A person's answer: `true`, `false`, or a corrected text. */
type Decision = boolean | string | { approved?: boolean; text?: string };

/** Interrupts with `{action, to, draft}` until it is resumed with a Decision. */
export const graph = new StateGraph(State)
  .addNode('write', ({ messages, to }) => {
    const request = messages.at(-1)?.text || 'our next meeting';
    return { draft: `To ${to}: I am writing to you about ${request.replace(/[.!?]*$/, '')}.` };
  })
  .addNode(
    'review',
    ({ to, draft }) => {
      const decision = interrupt<object, Decision>({ action: 'send_email', to, draft });
      const { approved = true, text } = typeof decision === 'object' ? decision : readDecision(decision);
      return new Command({ update: { draft: text ?? draft }, goto: approved ? 'send' : 'discard' });
    },
    { ends: ['send', 'discard'] },
  )
  .addNode('send', ({ draft }) => ({ messages: [new AIMessage(`Sent. ${draft}`)] }))
  .addNode('discard', () => ({ messages: [new AIMessage('Discarded, nothing was sent.')] }))
  .addEdge(START, 'write')
  .addEdge('write', 'review')
  .addEdge('send', END)
  .addEdge('discard', END)
  .compile();

function readDecision(decision: boolean | string): { approved?: boolean; text?: string } {
  if (typeof decision === 'boolean') return { approved: decision };
  if (/^\s*(y|yes|ok|send)\b/i.test(decision)) return { approved: true };
  if (/^\s*(n|no|stop)\b/i.test(decision)) return { approved: false };
  return { text: decision };
}
