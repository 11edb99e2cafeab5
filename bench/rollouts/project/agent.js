// Records which revision executed each step, to reveal lost, repeated and misrouted steps.
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const revision = process.env.SLIPWAY_TASK_QUEUE ?? 'none';
// A revision that never becomes healthy: it loads during the build, and hangs when it should serve.
if (process.env.NEVER_HEALTHY && process.env.SLIPWAY_TASK_QUEUE) {
  setInterval(() => {}, 60_000);
  await new Promise(() => {});
}

const State = Annotation.Root({
  run: Annotation(),
  steps: Annotation(),
  ms: Annotation(),
  done: Annotation({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});
const stepsOf = ({ done, run }) => done.filter((entry) => entry.run === run).length;

async function step(state) {
  await new Promise((resolve) => setTimeout(resolve, state.ms));
  return { done: [{ run: state.run, step: stepsOf(state) + 1, revision }] };
}

export const graph = new StateGraph(State)
  .addNode('step', step)
  .addEdge(START, 'step')
  .addConditionalEdges('step', (state) => (stepsOf(state) < state.steps ? 'step' : END))
  .compile();
