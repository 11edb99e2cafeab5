import type { Client } from '@langchain/langgraph-sdk';
import { until } from '../support/until.ts';

/** Starts a run of the agent that takes some milliseconds; resolves once it is running or has already ended. */
export async function beginRun(agent: Client, ms: number): Promise<{ ended: Promise<{ said: string }> }> {
  const { thread_id } = await agent.threads.create();
  const ended = agent.runs.wait(thread_id, 'agent', { input: { ms } }) as Promise<{ said: string }>;
  const isWorkedOn = async () => {
    const [run] = await agent.runs.list(thread_id);
    return run !== undefined && run.status !== 'pending';
  };
  await until('the run is worked on', isWorkedOn);
  return { ended };
}
