import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({
  steps: Annotation<number>(),
  done: Annotation<number>({ reducer: (before, more) => (more === 0 ? 0 : before + more), default: () => 0 }),
});

/** Executes the requested number of supersteps, each with a checkpoint. */
export const steps = new StateGraph(State)
  .addNode('begin', () => ({ done: 0 }))
  .addNode('step', () => ({ done: 1 }))
  .addEdge(START, 'begin')
  .addEdge('begin', 'step')
  .addConditionalEdges('step', (state) => (state.done < state.steps ? 'step' : END))
  .compile();
