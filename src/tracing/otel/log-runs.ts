import type { Queryable } from '../../platform/db/database.ts';
import { readBodies } from '../bodies/block-reader.ts';
import { addOperation } from '../ingest/read-batch.ts';
import { findRuns } from '../runs/run-repository.ts';
import { isObject } from '../../platform/json-object.ts';
import { TABLES } from './attribute-tables.ts';

import { isMessageEvent, messagesOfEvents } from './message-events.ts';
import type { Attributes, OtelEvent } from './otel-span.ts';
import type { LogRecord } from './read-logs.ts';
import type { TraceBatch } from './read-traces.ts';
import { bodyOf } from './span-bodies.ts';
import { isSpan, runIdOf, traceIdOf } from './span-position.ts';

interface Said {
  trace_id: string;
  inputs: Attributes | undefined;
  outputs: Attributes | undefined;
}

/** Converts GenAI events in log records to updates of the runs of their spans. Rejects other records. */
export async function readLogRuns(
  db: Queryable,
  tenantId: string,
  records: LogRecord[],
): Promise<TraceBatch> {
  const batch: TraceBatch = { operations: [], refusals: [], attachments: [] };
  const byRun = new Map<string, { trace_id: string; events: OtelEvent[] }>();
  for (const { traceId, spanId, event, fault } of records)
    if (fault) batch.refusals.push({ run_id: null, detail: fault });
    else if (!isSpan(traceId, spanId) || !isMessageEvent(event))
      batch.refusals.push({ run_id: null, detail: 'only GenAI events of spans are stored' });
    else {
      const id = runIdOf(spanId);
      const run = byRun.get(id) ?? { trace_id: traceIdOf(traceId), events: [] };
      byRun.set(id, run);
      run.events.push(event);
    }
  const stored = await readStored(db, tenantId, [...byRun.keys()]);
  for (const [id, { trace_id, events }] of byRun) {
    const { inputs, outputs } = bodiesOf(events);
    const fields = {
      ...fieldOf('inputs', added(stored.get(id)?.inputs, inputs)),
      ...fieldOf('outputs', added(stored.get(id)?.outputs, outputs)),
    };
    if (Object.keys(fields).length > 0) addOperation(batch, 'patch', { id, trace_id }, fields);
  }
  return batch;
}

function bodiesOf(events: OtelEvent[]): Omit<Said, 'trace_id'> {
  const { attributes, inputs, outputs } = messagesOfEvents(events);
  return {
    inputs: bodyOf(attributes, TABLES.inputs, 'input')?.value ?? inputs,
    outputs: bodyOf(attributes, TABLES.outputs, 'output')?.value ?? outputs,
  };
}

/** Data from earlier requests, because events of a span may be spread over several. */
async function readStored(
  db: Queryable,
  tenantId: string,
  ids: string[],
): Promise<Map<string, Omit<Said, 'trace_id'>>> {
  const runs = await findRuns(db, tenantId, ids);
  const locations = runs.flatMap(({ inputs, outputs }) =>
    [inputs, outputs].filter((location) => location !== null),
  );
  const bodies = await readBodies(db, tenantId, locations);
  const read = (location: string | null): Attributes | undefined => {
    const value: unknown = JSON.parse((location && bodies.get(location)?.toString('utf8')) || 'null');
    return isObject(value) ? value : undefined;
  };
  return new Map(
    runs.map(({ id, inputs, outputs }) => [id, { inputs: read(inputs), outputs: read(outputs) }]),
  );
}

/** Appends to lists, ignoring duplicates from retries. Undefined if nothing is new. */
function added(stored: Attributes = {}, more: Attributes = {}): Attributes | undefined {
  const all = { ...stored };
  let isNew = false;
  for (const [key, value] of Object.entries(more)) {
    const [one, other] = [all[key], value];
    const lists = Array.isArray(one) && Array.isArray(other);
    const text = JSON.stringify(one) ?? '';
    if (lists ? text.includes(JSON.stringify(other).slice(1, -1)) : text === JSON.stringify(other)) continue;
    all[key] = lists ? [...(one as unknown[]), ...(other as unknown[])] : value;
    isNew = true;
  }
  return isNew ? all : undefined;
}

const fieldOf = (name: 'inputs' | 'outputs', value: Attributes | undefined) =>
  value === undefined ? {} : { [name]: { value, text: Buffer.from(JSON.stringify(value)) } };
