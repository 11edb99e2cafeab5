import { parseLoose } from '../../src/tracing/json/loose-json.ts';
import { readBatch } from '../../src/tracing/ingest/read-batch.ts';
import type { RunOperation } from '../../src/tracing/ingest/run-operation.ts';

/** The operations of a batch with these posts. */
export const operationsOf = (post: object[]): RunOperation[] =>
  readBatch(parseLoose(Buffer.from(JSON.stringify({ post })))!).operations;
