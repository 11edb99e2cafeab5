import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({
  text: Annotation<string>(),
  reply: Annotation<string>(),
  /** Number of runs of the thread; reveals lost and repeated runs. */
  turns: Annotation<number>({ reducer: (before, more) => before + more, default: () => 0 }),
  /** Grows with the thread like a conversation. */
  said: Annotation<string[]>({ reducer: (before, more) => before.concat(more), default: () => [] }),
});

/** One trivial node, to measure the overhead of a run. */
export const echo = new StateGraph(State)
  .addNode('answer', ({ text }) => ({ reply: `echo ${text}`, turns: 1, said: [text] }))
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile();
