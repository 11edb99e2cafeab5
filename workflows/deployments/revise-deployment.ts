import {
  ActivityFailure,
  ApplicationFailure,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  MadeRevision,
  ReviseActivities,
  ReviseDeploymentInput,
  ReviseDeploymentResult,
} from './contracts.ts';

const retry = { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' } as const;
const { draftRevision, makeRevision } = proxyActivities<ReviseActivities>({
  startToCloseTimeout: '1 minute',
  retry,
});
const { watchRevision } = proxyActivities<ReviseActivities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  retry,
});

/**
 * Makes a revision, as a PATCH does, and waits until it ends. CI and operators start it by hand; the workflow id is the
 * idempotency key. Fails with the revision's status as the failure type.
 */
export async function reviseDeployment(
  input: ReviseDeploymentInput,
  /** Carried over by continue-as-new. */
  before?: MadeRevision,
): Promise<ReviseDeploymentResult> {
  try {
    const made = before ?? (await makeRevision({ input, draft: await draftRevision(input) }));
    for (;;) {
      const { has_ended, ...result } = await watchRevision({ ...made, waits: input.wait ?? true });
      setCurrentDetails(`Revision \`${made.revision_id}\`: ${result.status}`);
      if (result.status === 'DEPLOYED' || input.wait === false) return result;
      if (has_ended) throw notDeployed(result);
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof reviseDeployment>(input, made);
    }
  } catch (error) {
    // The Temporal CLI prints this message first.
    if (error instanceof ActivityFailure && error.cause instanceof ApplicationFailure) {
      const { message, type } = error.cause;
      throw ApplicationFailure.create({ message, type: type ?? 'Refused', nonRetryable: true });
    }
    throw error;
  }
}

function notDeployed(result: ReviseDeploymentResult): ApplicationFailure {
  const why = result.status_message ? `: ${result.status_message}` : '';
  return ApplicationFailure.create({
    message: `Revision ${result.revision_id} was not deployed: ${result.status}${why}`,
    type: result.status,
    nonRetryable: true,
    details: [result],
  });
}
