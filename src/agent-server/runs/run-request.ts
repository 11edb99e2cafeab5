import type { RunRequest, User } from '../../graph-protocol/messages.ts';
import type { Claim } from './run-claim.ts';

/** The request to a graph host for a claimed run. */
export function runRequest(claim: Claim, leave_ms: number): RunRequest {
  const { run_id, thread_id, assistant_id, graph_id, kwargs, metadata, attempt, epoch } = claim;
  const { input, command, config, context, stream_mode, subgraphs, durability } = kwargs;
  return {
    graph_id,
    run_id,
    thread_id,
    assistant_id,
    resume: attempt > 1 || epoch > 1,
    input,
    command,
    config: {
      configurable: config.configurable,
      context,
      metadata: { ...metadata, run_id, thread_id, graph_id, assistant_id },
      tags: config.tags,
      recursion_limit: config.recursion_limit,
    },
    stream_mode,
    subgraphs,
    interrupt_before: kwargs.interrupt_before,
    interrupt_after: kwargs.interrupt_after,
    durability,
    user: config.configurable['langgraph_auth_user'] as User | undefined,
    leave_ms,
  };
}
