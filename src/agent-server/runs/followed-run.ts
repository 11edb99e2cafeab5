import type { AgentDeps } from '../agent-deps.ts';
import type { RunEvent } from '../events/event-frame.ts';
import { followRun, type RunFollower } from './run-follower.ts';
import type { RunRequest } from './run-plan.ts';
import { acceptRun } from './run-service.ts';
import type { RunCreate } from '../records/run.ts';

/**
 * Starts a run and follows it from its first event. Throws what `acceptRun` throws, and then leaves no follower open.
 * Close the follower when its reader disconnects.
 */
export async function startFollowed(
  deps: AgentDeps,
  create: RunCreate,
  request: RunRequest,
  onEvents?: (events: RunEvent[]) => void,
): Promise<RunFollower> {
  const follower = followRun(deps, request.thread_id, request.run_id, {
    expected: true,
    ...(onEvents && { onEvents }),
  });
  await acceptFollowed(deps, create, request, follower);
  return follower;
}

/** Starts the run that the follower expects. Closes the follower if that fails, and throws what `acceptRun` throws. */
export async function acceptFollowed(
  deps: AgentDeps,
  create: RunCreate,
  request: RunRequest,
  follower: RunFollower,
): Promise<void> {
  try {
    await acceptRun(deps, create, request, follower.ready);
    follower.made();
  } catch (error) {
    follower.close();
    throw error;
  }
}
