import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { Unavailable } from '../errors.ts';

/** A call that is given up after so many ms. Throws WorkflowNotFoundError; anything else is Unavailable, in these words. */
export async function callEngine<T>(
  { client, deadlineMs }: { client: Client; deadlineMs: number },
  unavailable: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await client.withDeadline(Date.now() + deadlineMs, work);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw error;
    const failure = new Unavailable(unavailable);
    failure.cause = error;
    throw failure;
  }
}
