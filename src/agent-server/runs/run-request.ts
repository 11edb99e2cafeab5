import type { RunRequest, User } from '../../graph-protocol/messages.ts';
import { toWireCheckpoint, type WireCheckpoint } from '../../graph-protocol/checkpoint-wire.ts';
import type { Claim } from './run-claim.ts';

// With the run's input in one frame; larger ones are asked for.
const MOST_CHARS = 16 * 1024 * 1024;

/** What a host is asked to run for a claim. */
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
    // A run from another checkpoint reads that one itself.
    takes_units: true,
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
