import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Operation } from './openapi-operations.ts';
import type { FuzzRequest } from './request-arbitrary.ts';
import type { Answer } from './send-request.ts';

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

// Statuses any request may get, declared or not.
const ALWAYS = [404, 405, 413];
// Internal terms of ours, Postgres and Temporal.
const LEAKS =
  /node_modules|\.[jt]s:\d+|\bat \w+ \(|SQLSTATE|relation "|invalid input syntax|syntax error|violates|deadlock|duplicate key|statement timeout|workflow|ECONNREFUSED|127\.0\.0\.1|undefined \(reading|is not a function|Maximum call stack/i;

const validators = new Map<string, ValidateFunction>();

/** The problem with a response; undefined if there is none. */
export function problemOf(operation: Operation, request: FuzzRequest, answer: Answer): string | undefined {
  const { status, text } = answer;
  if (status >= 500) return `status ${status}: ${text.slice(0, 200)}`;
  if (request.method === 'HEAD' || request.method === 'OPTIONS') return undefined;
  if (status >= 400) return refusalProblem(answer) ?? undeclared(operation, request, status);
  if (request.method !== operation.method) return undefined;
  return undeclared(operation, request, status) ?? successProblem(operation, answer);
}

function undeclared(operation: Operation, request: FuzzRequest, status: number): string | undefined {
  if (request.method !== operation.method || operation.responses.has(status) || ALWAYS.includes(status))
    return undefined;
  // An empty or dot segment changes the path.
  return status === 307 ? undefined : `status ${status} is not declared`;
}

function refusalProblem({ headers, text, status }: Answer): string | undefined {
  // Ingest also lists the errors of a batch.
  const { errors: _errors, ...body } = (parse(text) ?? {}) as { detail?: unknown; errors?: unknown };
  if (!headers['content-type']?.startsWith('application/json'))
    return `status ${status} comes as ${headers['content-type']}`;
  if (typeof body.detail !== 'string' || body.detail === '' || Object.keys(body).length > 1)
    return `no {"detail"}: ${text.slice(0, 200)}`;
  return LEAKS.test(body.detail)
    ? `the detail tells of our insides: ${body.detail.slice(0, 300)}`
    : undefined;
}

function successProblem(
  { id, responses }: Operation,
  { status, headers, text, whole }: Answer,
): string | undefined {
  const declared = responses.get(status);
  if (!declared) return text === '' ? undefined : `status ${status} comes with a body: ${text.slice(0, 200)}`;
  if (declared.type === 'text/event-stream') return streamProblem(headers['content-type'], text, whole);
  if (declared.type !== 'application/json' || !whole) return undefined;
  const body = parse(text);
  if (body === undefined) return `the body is not JSON: ${text.slice(0, 200)}`;
  const key = `${id} ${status}`;
  const validate = validators.get(key) ?? ajv.compile(declared.schema);
  validators.set(key, validate);
  return validate(body)
    ? undefined
    : `the body is not as declared: ${ajv.errorsText(validate.errors)}: ${text.slice(0, 300)}`;
}

function streamProblem(type: string | undefined, text: string, whole: boolean): string | undefined {
  if (type !== 'text/event-stream; charset=utf-8') return `a stream comes as ${type}`;
  const frames = text.split('\n\n');
  // The last one is empty, or incomplete because we stopped reading.
  for (const frame of whole ? frames : frames.slice(0, -1)) {
    if (frame === '' || frame === ': heartbeat') continue;
    const [, data] = /^event: [^\r\n]+\ndata: ([^\r\n]*)(?:\nid: \d+-\d+)?$/.exec(frame) ?? [];
    if (data === undefined || parse(data) === undefined)
      return `not a frame: ${JSON.stringify(frame.slice(0, 300))}`;
  }
  return undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
