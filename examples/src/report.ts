import { setTimeout } from 'node:timers/promises';
import { END, ReducedValue, START, StateGraph, StateSchema } from '@langchain/langgraph';
import { z } from 'zod';

const State = new StateSchema({
  topic: z.string().default('everything'),
  steps: z.number().int().min(1).max(10_000).default(10).describe('How many chapters to write'),
  delay_ms: z.number().min(0).default(500).describe('Milliseconds each chapter takes'),
  chapters: new ReducedValue(
    z.array(z.string()).default(() => []),
    {
      inputSchema: z.array(z.string()),
      reducer: (before, more) => before.concat(more),
    },
  ),
  report: z.string().optional(),
});

/**
 * Runs a node per chapter, so that each ends with a checkpoint: kill the worker halfway, and the next one continues
 * with the unfinished chapter.
 */
export const graph = new StateGraph(State)
  .addNode('write_chapter', async ({ topic, steps, delay_ms, chapters }, { signal, writer }) => {
    const step = chapters.length + 1;
    await setTimeout(delay_ms, undefined, signal && { signal });
    writer?.({ type: 'progress', step, of: steps, note: `Chapter ${step} of ${steps} on ${topic}` });
    return { chapters: [`Chapter ${step}: more about ${topic}.`] };
  })
  .addNode('bind', ({ chapters }) => ({ report: chapters.join('\n') }))
  .addEdge(START, 'write_chapter')
  .addConditionalEdges(
    'write_chapter',
    ({ chapters, steps }) => (chapters.length < steps ? 'write_chapter' : 'bind'),
    ['write_chapter', 'bind'],
  )
  .addEdge('bind', END)
  .compile()
  .withConfig({ recursionLimit: 20_000 });
