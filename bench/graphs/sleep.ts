import { setTimeout as pause } from 'node:timers/promises';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({
  ms: Annotation<number>(),
  slept: Annotation<number>(),
  cut_short: Annotation<number>(),
});

let cutShort = 0;

/** Waits like a model call. `cut_short` counts this process's sleeps that were aborted by their signal. */
export const sleep = new StateGraph(State)
  .addNode('wait', async ({ ms }, { signal }) => {
    try {
      await pause(ms, undefined, signal && { signal });
    } catch (error) {
      cutShort++;
      throw error;
    }
    return { slept: ms, cut_short: cutShort };
  })
  .addEdge(START, 'wait')
  .addEdge('wait', END)
  .compile();
