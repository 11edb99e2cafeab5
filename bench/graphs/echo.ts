import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({
  text: Annotation<string>(),
  reply: Annotation<string>(),
  /** Runs of the thread so far: tells a run that was lost, or done twice. */
  turns: Annotation<number>({ reducer: (before, more) => before + more, default: () => 0 }),
  /** Grows with the thread, as a conversation does. */
  said: Annotation<string[]>({ reducer: (before, more) => before.concat(more), default: () => [] }),
});

/** One node that does nothing worth timing: what a run costs without the agent. */
export const echo = new StateGraph(State)
  .addNode('answer', ({ text }) => ({ reply: `echo ${text}`, turns: 1, said: [text] }))
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile();
