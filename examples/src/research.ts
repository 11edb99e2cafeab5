import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { END, MessagesValue, ReducedValue, Send, START, StateGraph, StateSchema } from '@langchain/langgraph';
import { z } from 'zod';
import { chatModel as model } from './chat-model.ts';

const notes = new ReducedValue(
  z.array(z.string()).default(() => []),
  {
    inputSchema: z.array(z.string()),
    reducer: (before, more) => before.concat(more),
  },
);

/** The innermost graph, which checks one finding. */
const factCheck = new StateGraph(new StateSchema({ finding: z.string(), verdict: z.string().optional() }))
  .addNode('compare', ({ finding }) => ({ verdict: finding.length > 20 ? 'plausible' : 'too thin to tell' }))
  .addEdge(START, 'compare')
  .addEdge('compare', END)
  .compile();

const Investigation = new StateSchema({
  question: z.string(),
  finding: z.string().optional(),
  verdict: z.string().optional(),
  notes,
});

/** Answers and checks one question. Runs in parallel, once per question, and returns only its note. */
const investigate = new StateGraph({ state: Investigation, output: new StateSchema({ notes }) })
  .addNode('search', async ({ question }, config) => {
    const { text } = await model.invoke([new HumanMessage(question)], config);
    return { finding: text };
  })
  .addNode('fact_check', factCheck)
  .addNode('note', ({ question, finding, verdict }) => ({ notes: [`${question} ${finding} (${verdict})`] }))
  .addEdge(START, 'search')
  .addEdge('search', 'fact_check')
  .addEdge('fact_check', 'note')
  .addEdge('note', END)
  .compile();

const State = new StateSchema({
  messages: MessagesValue,
  questions: z.array(z.string()).default(() => []),
  notes,
});

export const graph = new StateGraph(State)
  .addNode('plan', ({ messages }) => {
    const topic = messages.at(-1)?.text || 'nothing in particular';
    return { questions: [`What is known about ${topic}?`, `What is disputed about ${topic}?`] };
  })
  .addNode('investigate', investigate, { input: Investigation })
  .addNode('write', ({ notes }) => ({
    messages: [new AIMessage(notes.map((note) => `- ${note}`).join('\n'))],
  }))
  .addEdge(START, 'plan')
  .addConditionalEdges(
    'plan',
    ({ questions }) => questions.map((question) => new Send('investigate', { question })),
    ['investigate'],
  )
  .addEdge('investigate', 'write')
  .addEdge('write', END)
  .compile();
