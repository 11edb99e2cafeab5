import { addOperation, type Refusal } from '../ingest/read-batch.ts';
import type { Attachment } from '../ingest/read-multipart.ts';
import type { RunOperation } from '../ingest/run-operation.ts';
import { InvalidRun } from '../errors.ts';
import { callsAroundCalls } from './nested-calls.ts';
import type { OtelSpan, SpanGroup } from './otel-span.ts';
import { readResource } from './span-metadata.ts';
import { runOfSpan, type SpanContext } from './span-run.ts';

export interface TraceBatch {
  operations: RunOperation[];
  refusals: Refusal[];
  attachments: Attachment[];
}

/** Converts each span to a post of a run. Invalid spans are rejected one by one. */
export function readTraces(groups: SpanGroup[], project: string | undefined): TraceBatch {
  const batch: TraceBatch = { operations: [], refusals: [], attachments: [] };
  const around = callsAroundCalls(groups);
  for (const { resource, scope, rest, spans } of groups) {
    const context = { scope, rest, resource: readResource(resource), project };
    for (const span of spans) addSpan(batch, span, { ...context, isAroundCall: around.has(span) });
  }
  return batch;
}

function addSpan(batch: TraceBatch, span: OtelSpan, context: SpanContext): void {
  try {
    if (span.fault) throw new InvalidRun('', span.fault);
    const { main, fields, attachments } = runOfSpan(span, context);
    const before = batch.operations.length;
    addOperation(batch, 'post', main, fields);
    if (batch.operations.length === before) return;
    const { id } = batch.operations[before]!;
    for (const attachment of attachments) batch.attachments.push({ run_id: id, ...attachment });
  } catch (error) {
    if (!(error instanceof InvalidRun)) throw error;
    batch.refusals.push({ run_id: error.runId || null, detail: error.message });
  }
}
