import { Type } from 'typebox';
import { JsonObject, StringEnum } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { newRunRequest, type RequestOrigin } from '../runs/run-plan.ts';
import { acceptRun } from '../runs/run-service.ts';
import { Command as RunCommand, RunCreate, RunnableConfig, type RunMode } from '../records/run.ts';
import { type Carried, type CommandHandler, defineCommand } from './command.ts';
import { CommandRefused } from './command-refused.ts';
import { seqAt } from './envelope.ts';
import { type CommandedThread, findCommandedThread } from './protocol-repository.ts';

const Strategy = Type.Optional(StringEnum(['reject', 'interrupt', 'rollback', 'enqueue']));

const RunStart = Type.Object({
  assistant_id: Type.String({ minLength: 1 }),
  input: Type.Optional(Type.Unknown()),
  config: Type.Optional(RunnableConfig),
  metadata: Type.Optional(JsonObject),
  multitask_strategy: Strategy,
  multitaskStrategy: Strategy,
  langsmith_tracer: RunCreate.properties.langsmith_tracer,
});

const Answer = Type.Object({ interrupt_id: Type.String({ minLength: 1 }), response: Type.Unknown() });
const InputRespond = Type.Object({
  interrupt_id: Type.Optional(Type.String({ minLength: 1 })),
  response: Type.Optional(Type.Unknown()),
  responses: Type.Optional(Type.Array(Answer, { minItems: 1 })),
  update: RunCommand.properties.update,
  goto: RunCommand.properties.goto,
  config: Type.Optional(RunnableConfig),
  metadata: Type.Optional(JsonObject),
});

// All the modes that protocol events are derived from.
const MODES: RunMode[] = ['values', 'updates', 'messages-tuple', 'tools', 'custom', 'tasks', 'checkpoints'];
const STREAMED = { stream_mode: MODES, stream_subgraphs: true, stream_resumable: true } as const;

/** Commands that start runs (contract §15.3). */
export function runCommands(
  deps: AgentDeps,
  threadId: string,
  origin: RequestOrigin,
): Record<string, CommandHandler> {
  const accept = async (create: RunCreate, thread: CommandedThread | undefined): Promise<Carried> => {
    const run = await acceptRun(deps, create, newRunRequest(threadId, origin));
    return { result: { run_id: run.run_id }, through: appliedThrough(thread) };
  };
  return {
    'run.start': defineCommand(RunStart, async (params) => {
      const thread = await reachThread(deps, threadId, origin);
      const { assistant_id, metadata, langsmith_tracer, input = null } = params;
      const { fork, config } = forkPoint(params.config);
      const resumes = thread && input !== null && !fork.checkpoint_id && openInterrupts(thread).length > 0;
      return accept(
        {
          assistant_id,
          ...(resumes ? { command: { resume: input } } : { input }),
          ...fork,
          ...(config && { config }),
          ...(metadata && { metadata }),
          ...(langsmith_tracer && { langsmith_tracer }),
          multitask_strategy: params.multitask_strategy ?? params.multitaskStrategy ?? 'enqueue',
          if_not_exists: 'create',
          ...STREAMED,
        },
        thread,
      );
    }),
    'input.respond': defineCommand(InputRespond, async (params) => {
      const { interrupt_id, response, update, goto, config, metadata } = params;
      const answers = params.responses ?? (interrupt_id ? [{ interrupt_id, response }] : []);
      if (answers.length === 0)
        throw new CommandRefused('invalid_argument', 'params.interrupt_id or params.responses is required');
      const thread = await reachThread(deps, threadId, origin);
      const open = thread && thread.status !== 'busy' ? openInterrupts(thread) : [];
      const unknown = answers.find((answer) => !open.includes(answer.interrupt_id));
      if (unknown || !thread?.assistant_id)
        throw new CommandRefused(
          'no_such_interrupt',
          `No open interrupt ${unknown?.interrupt_id.slice(0, 100)}`,
        );
      const { result: _run, ...carried } = await accept(
        {
          assistant_id: thread.assistant_id,
          command: {
            resume: Object.fromEntries(
              answers.map((answer) => [answer.interrupt_id, answer.response ?? null]),
            ),
            ...(update && { update }),
            ...(goto && { goto }),
          },
          ...(config && { config: forkPoint(config).config }),
          ...(metadata && { metadata }),
          // The first answer wins.
          multitask_strategy: 'reject',
          ...STREAMED,
        },
        thread,
      );
      return { result: {}, ...carried };
    }),
  };
}

/** The thread as the caller may see it; undefined if it doesn't exist yet. */
async function reachThread(
  { db, access }: AgentDeps,
  threadId: string,
  { caller }: RequestOrigin,
): Promise<CommandedThread | undefined> {
  const filter = await access.authorize(caller, 'threads', 'read', { thread_id: threadId });
  const thread = await findCommandedThread(db, threadId, filter);
  if (thread && !thread.passes) throw new CommandRefused('invalid_argument', `Thread ${threadId} not found`);
  return thread;
}

const openInterrupts = ({ interrupts }: CommandedThread): (string | undefined)[] =>
  Object.values(interrupts)
    .flat()
    .map(({ id }) => id);

/**
 * Separates ended runs from new ones: the thread's past events are at or below this `seq`, a new run's are above it.
 */
const appliedThrough = (thread: CommandedThread | undefined): number =>
  thread?.last_event_ms ? seqAt(thread.last_event_ms + 1) - 1 : 0;

/** Extracts the checkpoint to fork from; the other values of the configuration belong to the graph. */
function forkPoint(config: Partial<RunCreate['config']> & object = {}) {
  const { configurable = {}, ...rest } = config;
  const {
    checkpoint_id: id,
    checkpoint_ns: _ns,
    checkpoint_map: _map,
    thread_id: _thread,
    ...values
  } = configurable;
  const fork: { checkpoint_id?: string } = typeof id === 'string' && id !== '' ? { checkpoint_id: id } : {};
  return { fork, config: { ...rest, configurable: values } };
}
