import type { Attachment } from '../ingest/read-multipart.ts';
import type { Fields } from '../ingest/run-operation.ts';
import type { Field } from '../runs/run-metadata.ts';
import { isObject } from '../../platform/json-object.ts';
import { destinyOf, TABLES } from './attribute-tables.ts';
import { parsed, textOf } from './attribute-values.ts';
import type { BodySource } from './family.ts';
import { messagesOfEvents } from './message-events.ts';
import type { Attributes, OtelSpan, SpanGroup } from './otel-span.ts';
import { runTypeOf } from './run-types.ts';
import { type Body, bodyOf } from './span-bodies.ts';
import { errorOf, eventsOf, isoTime } from './span-events.ts';
import { metadataOf, paramsOf, type Resource, responseModelOf, tagsOf } from './span-metadata.ts';
import { positionOf } from './span-position.ts';
import { toolBodiesOf } from './tool-bodies.ts';
import { ownsUsage, usageOf } from './span-usage.ts';

/** A run in the form clients post (contract §1.3): main part and fields. */
export interface SpanRun {
  main: Attributes;
  fields: Fields;
  attachments: Omit<Attachment, 'run_id'>[];
}

export interface SpanContext {
  scope: SpanGroup['scope'];
  rest: SpanGroup['rest'];
  resource: Resource;
  /** Default project name, from the request. */
  project: string | undefined;
  /** Whether a nested model call has the usage instead. */
  isAroundCall: boolean;
}

/** Converts a span to a run (contract §1.9). Throws InvalidRun. */
export function runOfSpan(
  span: OtelSpan,
  { scope, rest, resource, project, isAroundCall }: SpanContext,
): SpanRun {
  const messages = messagesOfEvents(span.events);
  const attributes = { ...messages.attributes, ...span.attributes };
  const run_type = isAroundCall ? 'chain' : runTypeOf(attributes);
  const usage = ownsUsage(run_type) ? usageOf(attributes) : undefined;
  const inputs = bodyOf(attributes, TABLES.inputs, 'input');
  const outputs = bodyOf(attributes, TABLES.outputs, 'output');
  const tool = run_type === 'tool' ? toolBodiesOf(attributes, messages) : undefined;
  const answered = ownsUsage(run_type) ? { model: responseModelOf(attributes), usage_metadata: usage } : {};
  const invocation_params = paramsOf(attributes);
  const main = {
    ...positionOf(span, attributes),
    name: nameOf(span),
    run_type,
    start_time: isoTime(span.start),
    end_time: isoTime(span.end),
    session_id: attributes['langsmith.trace.session_id'],
    session_name: textOf(attributes['langsmith.trace.session_name']) ?? project,
    reference_example_id: attributes['langsmith.reference_example_id'],
    tags: tagsOf(attributes),
    error: errorOf(span),
  };
  const extra = {
    metadata: metadataOf(attributes, resource, usage !== undefined),
    runtime: resource.runtime,
    ...(invocation_params && { invocation_params }),
    otel: {
      scope,
      kind: span.kind,
      ...rest,
      ...span.rest,
      ...(span.links.length > 0 && { links: span.links }),
      ...(span.statusMessage &&
        !main.error?.includes(span.statusMessage) && { status_message: span.statusMessage }),
      ...othersOf(attributes, [
        tool?.inputs ? undefined : inputs?.source,
        tool?.outputs ? undefined : outputs?.source,
      ]),
    },
  };
  return {
    main,
    fields: {
      ...fieldOf('inputs', tool?.inputs ?? inputs?.value ?? messages.inputs),
      ...fieldOf('outputs', tool?.outputs ?? outputsOf(outputs, messages.outputs, answered)),
      ...fieldOf('events', eventsOf(span)),
      // Split before it is written, so it needs no text.
      extra: { value: extra, text: NOTHING },
    },
    attachments: attachmentsOf(attributes),
  };
}

const NOTHING = Buffer.alloc(0);

function fieldOf(name: keyof Fields, value: object | undefined): Partial<Record<keyof Fields, Field>> {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return {};
  return { [name]: { value, text: Buffer.from(JSON.stringify(value)) } };
}

/** Adds model and token usage to the outputs unless they already have them. */
function outputsOf(body: Body | undefined, fromEvents: Attributes | undefined, answered: Attributes) {
  const outputs = { ...(body?.value ?? fromEvents) };
  for (const [key, value] of Object.entries(answered)) if (value !== undefined) outputs[key] ??= value;
  return Object.keys(outputs).length > 0 ? outputs : undefined;
}

/** Input and output attributes of other families that were not used. */
function othersOf(attributes: Attributes, taken: (BodySource | undefined)[]): { attributes?: Attributes } {
  const others = Object.entries(attributes).filter(
    ([key]) => destinyOf(key).to === 'body' && !taken.some((source) => source && isOf(source, key)),
  );
  return others.length > 0 ? { attributes: Object.fromEntries(others) } : {};
}

function isOf(source: BodySource, key: string): boolean {
  if ('attribute' in source) return key === source.attribute;
  return key.startsWith('flattened' in source ? source.flattened : source.keys);
}

function attachmentsOf(attributes: Attributes): SpanRun['attachments'] {
  const list = parsed(attributes['langsmith.attachments']);
  if (!Array.isArray(list)) return [];
  return list.filter(isObject).flatMap(({ name, content, mime_type }) =>
    typeof name === 'string' && typeof content === 'string'
      ? {
          name,
          mime_type: textOf(mime_type) ?? 'application/octet-stream',
          bytes: Buffer.from(content, 'base64'),
        }
      : [],
  );
}

/** Tool runs are named after the tool, because span names describe the operation. */
function nameOf({ name, attributes }: OtelSpan): string {
  const tool = textOf(attributes['gen_ai.tool.name']) ?? textOf(attributes['ai.toolCall.name']);
  return textOf(attributes['langsmith.trace.name']) ?? tool ?? (name || 'span');
}
