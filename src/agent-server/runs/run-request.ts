import type { RunRequest, User } from '../../graph-protocol/messages.ts';
import { toWireCheckpoint, type WireCheckpoint } from '../../graph-protocol/checkpoint-wire.ts';
import type { Claim } from './run-claim.ts';

// It shares a frame with the run's input; hosts request larger ones.
const MOST_CHARS = 16 * 1024 * 1024;

/** The request that has a host execute a claimed run. */
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
    takes_units: true,
    // A run from another checkpoint reads that one itself.
    ...(!config.configurable['checkpoint_id'] && { checkpoint: startOf(claim) }),
  };
}

function startOf({ checkpoint }: Claim): WireCheckpoint | null | undefined {
  if (!checkpoint) return checkpoint;
  const { row, values, writes } = checkpoint;
  const stored = [...values.values(), ...writes.sorted()];
  const chars = stored.reduce((sum, { value }) => sum + value.length, row.body.length);
  return chars > MOST_CHARS ? undefined : toWireCheckpoint(checkpoint);
}
