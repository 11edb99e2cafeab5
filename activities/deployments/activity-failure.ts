import { ApplicationFailure, Context } from '@temporalio/activity';
import { PublicError } from '../../src/platform/errors.ts';

/**
 * Public errors fail without retry, with their message. Other errors are retried without their message: it may name
 * hosts or secrets, and would stay in the history.
 */
export async function toActivityFailure<T>(work: Promise<T>): Promise<T> {
  const { cancellationSignal, log } = Context.current();
  try {
    return await work;
  } catch (error) {
    cancellationSignal.throwIfAborted();
    if (error instanceof PublicError && error.status < 500)
      throw activityFailure(error.message, error.name, true);
    log.warn('a step of a revision failed and is retried', { error });
    throw activityFailure('internal error', 'StepFailed', false);
  }
}

/** Without a stack, which names paths of this machine. */
export function activityFailure(message: string, type: string, nonRetryable: boolean): ApplicationFailure {
  const failure = ApplicationFailure.create({ message, type, nonRetryable });
  failure.stack = '';
  return failure;
}
