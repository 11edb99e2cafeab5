import { BaseCheckpointSaver } from '@langchain/langgraph';
import { deltaChannelHistoryTests, validate } from '@langchain/langgraph-checkpoint-validation';
import * as jestGlobals from '@jest/globals';
import { v5 } from 'uuid';
import { postgresStorage } from '../../src/agent-server/checkpoints/postgres-storage.ts';
import { createCheckpointer } from '../../src/graph-host/checkpoints/checkpointer.ts';
import { isUuid } from '../../src/platform/ids.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();

// The engine's own suite was written for another test runner: it expects these as globals, and soft assertions.
Object.assign(globalThis, jestGlobals);
Object.assign(jestGlobals.expect, { soft: jestGlobals.expect });

const uuidOf = (id: unknown): unknown => (typeof id === 'string' && !isUuid(id) ? v5(id, v5.URL) : id);

type Config = { configurable?: Record<string, unknown> };
const withUuid = <C extends Config>(config: C): C =>
  config.configurable
    ? {
        ...config,
        configurable: { ...config.configurable, thread_id: uuidOf(config.configurable['thread_id']) },
      }
    : config;

/** The suite names some threads "1" or "thread-1"; threads here have UUIDs. */
function createSaver(): BaseCheckpointSaver {
  const saver = createCheckpointer({ BaseCheckpointSaver }, { storage: postgresStorage(database.db) });
  return Object.assign(Object.create(saver) as BaseCheckpointSaver, {
    get: (config) => saver.get(withUuid(config)),
    getTuple: (config) => saver.getTuple(withUuid(config)),
    list: (config, options) => saver.list(withUuid(config), options),
    put: (config, checkpoint, metadata, versions) =>
      saver.put(withUuid(config), checkpoint, metadata, versions),
    putWrites: (config, writes, taskId) => saver.putWrites(withUuid(config), writes, taskId),
    deleteThread: (threadId) => saver.deleteThread(uuidOf(threadId) as string),
    getDeltaChannelHistory: (options) => saver.getDeltaChannelHistory(options),
  } satisfies Partial<BaseCheckpointSaver>);
}

const initializer = {
  checkpointerName: 'slipway',
  createCheckpointer: async () => {
    await database.db.query('truncate checkpoint, checkpoint_value, checkpoint_write');
    return createSaver();
  },
};

validate(initializer);
deltaChannelHistoryTests(initializer);
