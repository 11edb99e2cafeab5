import { Type } from 'typebox';
import { Uuid } from '../../platform/schema.ts';
import type { RowFilter } from '../../platform/db/row-filter.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { RunNotFound, ThreadNotFound } from '../errors.ts';
import { START } from '../events/event-id.ts';
import { listEvents } from '../events/event-repository.ts';
import type { RequestOrigin } from '../runs/run-plan.ts';
import { readThreadState } from '../threads/state-service.ts';
import { type CommandHandler, defineCommand } from './command.ts';
import { findCommandedThread, findStreamedRun } from './protocol-repository.ts';
import type { AgentNode } from './subgraph-tracker.ts';
import { ThreadTranslator } from './thread-translator.ts';

const StateGet = Type.Object({
  namespace: Type.Array(Type.String(), { default: [] }),
  keys: Type.Optional(Type.Array(Type.String())),
});

/** Read-only commands (contract §15.3). */
export function stateCommands(
  deps: AgentDeps,
  threadId: string,
  { caller }: RequestOrigin,
): Record<string, CommandHandler> {
  const readable = () => deps.access.authorize(caller, 'threads', 'read', { thread_id: threadId });
  return {
    'agent.getTree': defineCommand(Type.Object({ run_id: Type.Optional(Uuid) }), async ({ run_id }) => ({
      result: { tree: await readTree(deps, threadId, run_id, await readable()) },
    })),
    'state.get': defineCommand(StateGet, async ({ namespace, keys }) => {
      const thread = await findCommandedThread(deps.db, threadId, await readable());
      if (!thread?.passes) throw new ThreadNotFound(threadId);
      const point = { checkpoint_ns: namespace.join('|') };
      const { values, checkpoint } = await readThreadState(deps, threadId, point, false);
      const at = checkpoint as { checkpoint_id?: string; checkpoint_ns?: string } | null;
      const entries = Object.entries(values ?? {}).filter(([key]) => keys?.includes(key) ?? true);
      return {
        result: {
          values: Object.fromEntries(entries),
          ...(at?.checkpoint_id && { checkpoint: { id: at.checkpoint_id, ns: at.checkpoint_ns ?? '' } }),
        },
      };
    }),
  };
}

const PAGE = 1_000;
const STATUS: Record<string, AgentNode['status']> = {
  pending: 'started',
  running: 'running',
  success: 'completed',
  interrupted: 'interrupted',
};

/** The graphs of a run (by default the latest), as far as its events are retained. Throws RunNotFound. */
async function readTree(
  { db }: AgentDeps,
  threadId: string,
  runId: string | undefined,
  filter: RowFilter | undefined,
): Promise<AgentNode> {
  const run = await findStreamedRun(db, threadId, runId, filter);
  if (!run) throw new RunNotFound(runId ?? `of thread ${threadId}`);
  const translator = new ThreadTranslator();
  let tree: AgentNode | undefined;
  for (let after = START, more = true; more;) {
    const events = await listEvents(db, threadId, after, PAGE, run.run_id);
    for (const event of events) {
      translator.translate(run, event);
      tree = translator.treeOf(run.run_id) ?? tree;
    }
    after = events.at(-1)?.id ?? after;
    more = events.length === PAGE;
  }
  const status = STATUS[run.status ?? ''] ?? 'failed';
  return tree ?? { namespace: [], status, graph_name: run.graph_id, children: [] };
}
