import { InvalidTraces, TooDeep, TooManySpans } from './invalid-traces.ts';
import { isObject } from '../../platform/json-object.ts';
import { type Attributes, type OtelEvent } from './otel-span.ts';
import {
  attributesOf,
  type Fields,
  objectsOf,
  parseQuoted,
  readNanos,
  readValue as readJsonValue,
  textOf,
} from './read-json.ts';
import { readKeyValue, readValue } from './read-protobuf.ts';
import { WireReader } from './wire-reader.ts';

/** A log record as an event of its span. Both ids are empty if it has none. */
export interface LogRecord {
  traceId: string;
  spanId: string;
  event: OtelEvent;
  /** Why the record was rejected, if it cannot be read. */
  fault?: string;
}

/** Reads a record. A record nested too deeply is rejected without affecting others. */
function readable(read: () => LogRecord): LogRecord {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    return { traceId: '', spanId: '', event: { name: '', time: 0, attributes: {} }, fault: error.message };
  }
}

/** Reads an ExportLogsServiceRequest in protobuf. Throws InvalidTraces, TooManySpans. */
export function readLogsProtobuf(bytes: Buffer, most: number): LogRecord[] {
  const records: LogRecord[] = [];
  const inside = (message: WireReader, depth: number): void => {
    // resource_logs = 1, scope_logs = 2, log_records = 2.
    const wanted = depth === 0 ? 1 : 2;
    for (let field = message.field(); field !== 0; field = message.field())
      if (field !== wanted) message.skip();
      else if (depth < 2) inside(message.message(), depth + 1);
      else {
        if (records.length === most) throw new TooManySpans(most);
        const record = message.message();
        records.push(readable(() => readRecord(record)));
      }
  };
  inside(new WireReader(bytes), 0);
  return records;
}

function readRecord(message: WireReader): LogRecord {
  const record: LogRecord = { traceId: '', spanId: '', event: { name: '', time: 0, attributes: {} } };
  let body: unknown = null;
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) record.event.time = message.nanos();
    else if (field === 5) body = readValue(message.message(), 0);
    else if (field === 6) readKeyValue(message.message(), record.event.attributes, 0);
    else if (field === 9) record.traceId = message.bytes('hex');
    else if (field === 10) record.spanId = message.bytes('hex');
    else if (field === 12) record.event.name = message.text();
    else message.skip();
  return withBody(record, body);
}

/** Reads an ExportLogsServiceRequest in JSON. Throws InvalidTraces, TooManySpans. */
export function readLogsJson(bytes: Buffer, most: number): LogRecord[] {
  const parsed = bytes.length === 0 ? { value: {} } : parseQuoted(bytes);
  if (!parsed || !isObject(parsed.value)) throw new InvalidTraces('The body is not a JSON object');
  const records = objectsOf(parsed.value, 'resourceLogs', 'resource_logs')
    .flatMap((resource) => objectsOf(resource, 'scopeLogs', 'scope_logs'))
    .flatMap((scope) => objectsOf(scope, 'logRecords', 'log_records'));
  if (records.length > most) throw new TooManySpans(most);
  return records.map((record) => readable(() => readJsonRecord(record)));
}

function readJsonRecord(record: Fields): LogRecord {
  const event = {
    name: textOf(record['eventName'] ?? record['event_name']),
    time: readNanos(record['timeUnixNano'] ?? record['time_unix_nano']),
    attributes: attributesOf(record),
  };
  const traceId = textOf(record['traceId'] ?? record['trace_id']).toLowerCase();
  const spanId = textOf(record['spanId'] ?? record['span_id']).toLowerCase();
  return withBody({ traceId, spanId, event }, readJsonValue(record['body'], 0));
}

/** Keeps the body as an attribute. Older records have their event name in an attribute. */
function withBody({ traceId, spanId, event }: LogRecord, body: unknown): LogRecord {
  const { 'event.name': named, ...attributes }: Attributes = event.attributes;
  const name = event.name || (typeof named === 'string' ? named : '');
  return {
    traceId,
    spanId,
    event: { ...event, name, attributes: { ...attributes, ...(body !== null && { body }) } },
  };
}
