import { randomUUID } from 'node:crypto';
import { BaseCheckpointSaver, MemorySaver } from '@langchain/langgraph';
import { postgresStorage } from '../src/agent-server/checkpoints/postgres-storage.ts';
import { createCheckpointer } from '../src/graph-host/checkpoints/checkpointer.ts';
import { cloneGraph, type GraphInstance } from '../src/graph-host/graphs/graph-instance.ts';
import { type Database, openDatabase } from '../src/platform/db/database.ts';
import { echo } from './graphs/echo.ts';
import { steps } from './graphs/steps.ts';
import { tokens } from './graphs/tokens.ts';
import { timeEach, timeTogether } from './pacing.ts';
import { median } from './statistics.ts';

/** Times of the engine alone, in this process without a server; null if there is no database. */
export interface Floor {
  wait_ms_memory: number;
  wait_ms_postgres: number | null;
  runs_per_s_16_memory: number;
  runs_per_s_16_postgres: number | null;
  superstep_ms_postgres: number | null;
  custom_events_per_s: number;
  message_tokens_per_s: number;
}

const EVENTS = 10_000;
const STEPS = 21;

/** Times the graphs with the engine's in-memory checkpointer, and with ours in the given database. */
export async function measureFloor(databaseUrl: string | undefined): Promise<Floor> {
  const memory = new MemorySaver();
  const db = databaseUrl === undefined ? undefined : openDatabase({ url: databaseUrl });
  // One per operation, as in the server.
  const postgres =
    db && (() => createCheckpointer({ BaseCheckpointSaver }, { storage: postgresStorage(db) }));
  try {
    return {
      wait_ms_memory: await waitMs(() => memory),
      wait_ms_postgres: postgres ? await waitMs(postgres) : null,
      runs_per_s_16_memory: await runsPerSecond(() => memory),
      runs_per_s_16_postgres: postgres ? await runsPerSecond(postgres) : null,
      superstep_ms_postgres: postgres ? await superstepMs(postgres) : null,
      custom_events_per_s: await eventsPerSecond('custom', { custom: EVENTS }),
      message_tokens_per_s: await eventsPerSecond('messages', { messages: EVENTS }),
    };
  } finally {
    if (db) await forget(db);
  }
}

type Saver = () => object;

const thread = (threadId: string = randomUUID()) => ({ configurable: { thread_id: threadId } });
const bind = (graph: unknown, saver: Saver) => cloneGraph(graph as GraphInstance, { checkpointer: saver() });

async function waitMs(saver: Saver): Promise<number> {
  const config = thread();
  const samples = await timeEach(120, (run) => bind(echo, saver).invoke({ text: `run ${run}` }, config));
  return median(samples.slice(20));
}

async function runsPerSecond(saver: Saver): Promise<number> {
  const runs = 320;
  const seconds = await timeTogether(16, runs, (run) =>
    bind(echo, saver).invoke({ text: `run ${run}` }, thread()),
  );
  return runs / seconds;
}

async function superstepMs(saver: Saver): Promise<number> {
  const timed = (count: number) => timeEach(20, () => bind(steps, saver).invoke({ steps: count }, thread()));
  const [short, long] = [await timed(1), await timed(STEPS)];
  return (median(long) - median(short)) / (STEPS - 1);
}

async function eventsPerSecond(streamMode: string, input: object): Promise<number> {
  const graph = bind(tokens, () => new MemorySaver());
  const samples = await timeEach(3, async () => {
    let seen = 0;
    for await (const _event of await graph.stream(input, { ...thread(), streamMode: [streamMode] })) seen++;
    if (seen !== EVENTS) throw new Error(`The engine streamed ${seen} events instead of ${EVENTS}`);
  });
  return EVENTS / (median(samples) / 1000);
}

/** Removes the rows that this wrote, which belong to none of the server's threads. */
async function forget(db: Database): Promise<void> {
  const orphans = 'thread_id not in (select thread_id from thread)';
  for (const table of ['checkpoint', 'checkpoint_value', 'checkpoint_write']) {
    await db.query(`delete from ${table} where ${orphans}`);
  }
  await db.end();
}
