import { randomUUID } from 'node:crypto';
import { beforeEach } from '@jest/globals';
import {
  BaseCheckpointSaver,
  type Checkpoint,
  emptyCheckpoint,
  uuid6,
} from '@langchain/langgraph-checkpoint';
import {
  type CheckpointerOptions,
  createCheckpointer,
  type HostCheckpointer,
} from '../../src/graph-host/checkpoints/checkpointer.ts';
import { postgresStorage } from '../../src/agent-server/checkpoints/postgres-storage.ts';
import type { Database, Queryable } from '../../src/platform/db/database.ts';
import { useDatabase } from '../support/use-database.ts';

export interface TestRun {
  run_id: string;
  /** Claims the run for another attempt. */
  takeOver(): Promise<void>;
  saver: HostCheckpointer;
}

/** A database whose checkpoint statements are counted: `R` for each read, `W` for each write. */
export function useCheckpoints() {
  const database = useDatabase();
  let statements: string[] = [];
  beforeEach(() => {
    statements = [];
  });
  const counted: Queryable = {
    query(text, values) {
      const sql = typeof text === 'string' ? text : text.text;
      statements.push(/\binsert into\b/.test(sql) ? 'W' : 'R');
      return database.db.query(text, values);
    },
  };
  return {
    get db(): Database {
      return database.db;
    },
    /** Statements since the last call. */
    takeStatements(): string {
      return statements.splice(0).join('');
    },
    async countOf(table: string, threadId: string): Promise<number> {
      const { rows } = await database.db.query<{ count: number }>(
        `select count(*) from ${table} where thread_id = $1`,
        [threadId],
      );
      return rows[0]!.count;
    },
    /** A checkpointer without a run. */
    saver: (options: Partial<CheckpointerOptions> = {}): BaseCheckpointSaver =>
      createCheckpointer({ BaseCheckpointSaver }, { storage: postgresStorage(counted), ...options }),
    async newThread(): Promise<string> {
      const id = randomUUID();
      await database.db.query('insert into thread (thread_id) values ($1)', [id]);
      return id;
    },
    /** An active run, with its checkpointer. */
    async startRun(threadId: string, options: Partial<CheckpointerOptions> = {}): Promise<TestRun> {
      const id = randomUUID();
      await database.db.query(
        `insert into run (run_id, thread_id, assistant_id, graph_id, status, kwargs, multitask_strategy, epoch)
         values ($1, $2, $1, 'test', 'running', '{}', 'enqueue', 1)`,
        [id, threadId],
      );
      const fence = { run_id: id, epoch: 1 };
      return {
        run_id: id,
        async takeOver() {
          await database.db.query('update run set epoch = epoch + 1 where run_id = $1', [id]);
        },
        saver: createCheckpointer(
          { BaseCheckpointSaver },
          {
            storage: postgresStorage(counted, fence),
            fenced: true,
            run_id: id,
            ...options,
          },
        ),
      };
    },
  };
}

/** A checkpoint whose channels all have the given version. */
export function checkpointOf(channel_values: Record<string, unknown>, version = 1): Checkpoint {
  const channel_versions = Object.fromEntries(
    Object.keys(channel_values).map((channel) => [channel, version]),
  );
  return { ...emptyCheckpoint(), id: uuid6(0), channel_values, channel_versions };
}

export const LOOP = { source: 'loop', step: 0, parents: {} } as const;

export const threadConfig = (thread_id: string, checkpoint_id?: string) => ({
  configurable: { thread_id, checkpoint_ns: '', ...(checkpoint_id && { checkpoint_id }) },
});
