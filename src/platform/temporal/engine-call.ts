import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { Unavailable } from '../errors.ts';

/**
 * Calls Temporal with a deadline in ms. Throws WorkflowNotFoundError, or Unavailable with the given message for all
 * other failures.
 */
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
