import type { AgentDeps } from '../agent-deps.ts';
import type { Assistant } from '../records/assistant.ts';
import { ThreadBusy } from '../errors.ts';
import type { RunEvent } from '../events/event-frame.ts';
import type { RunFollower } from '../runs/run-follower.ts';
import { startFollowed } from '../runs/followed-run.ts';
import type { RequestOrigin } from '../runs/run-plan.ts';
import type { StreamMode } from '../records/run.ts';
import { unsupportedOperation } from './a2a-errors.ts';
import { type MessagePlan, planMessage } from './message-plan.ts';
import { type SentMessage } from './message-params.ts';

/** A message whose run has started. */
export interface StartedTask extends MessagePlan {
  follower: RunFollower;
}

/** Throws JsonRpcError and the errors of `acceptRun`. */
export async function startTask(
  deps: AgentDeps,
  assistant: Assistant,
  message: SentMessage,
  origin: RequestOrigin,
  stream?: { modes: StreamMode[]; onEvents(events: RunEvent[]): void },
): Promise<StartedTask> {
  const plan = await planMessage(deps, assistant, message, origin);
  const create = { ...plan.create, stream_mode: stream?.modes ?? [] };
  try {
    const follower = await startFollowed(deps, create, plan.request, stream?.onEvents);
    return { ...plan, follower };
  } catch (error) {
    if (error instanceof ThreadBusy) throw unsupportedOperation('The task is being answered already');
    throw error;
  }
}

export const returnsAtOnce = ({ configuration: { blocking, returnImmediately } }: SentMessage): boolean =>
  blocking === false || returnImmediately === true;
