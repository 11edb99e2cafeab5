import { setTimeout as pause } from 'node:timers/promises';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({
  ms: Annotation<number>(),
  slept: Annotation<number>(),
  cut_short: Annotation<number>(),
});

let cutShort = 0;

/** Waits as a model call does. `cut_short` counts the sleeps of this process that their signal ended. */
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
