import fc from 'fast-check';
import { bodiesOf } from './body-arbitrary.ts';
import { hostileText } from './hostile-values.ts';
import type { Operation, Parameter } from './openapi-operations.ts';
import { OWN_ASSISTANT, valuesOf } from './schema-arbitrary.ts';

/** A request in which `@@thread:3@@` and the like stand for ids that are known when it is sent. */
export interface FuzzRequest {
  /** The thread that the request concerns. */
  focus: number;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

// The server reads no more than 16 kB of a request's head.
const MOST_CHARS = 300;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** Requests for an operation: valid, almost valid, and clearly invalid by its schemas. */
export function requestsFor(
  operation: Operation,
  rawBodies?: fc.Arbitrary<string | undefined>,
): fc.Arbitrary<FuzzRequest> {
  const asDeclared = fc.constant(operation.method);
  return fc.record({
    focus: fc.nat(11),
    method: fc.oneof(
      { weight: 30, arbitrary: asDeclared },
      { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
    ),
    path: fc.tuple(pathsOf(operation), queriesOf(operation)).map(([path, query]) => path + query),
    headers: headersFor(operation, rawBodies !== undefined),
    body: operation.body
      ? bodiesOf(operation.body)
      : ((isRead(operation) ? undefined : rawBodies) ?? fc.constant(undefined)),
  });
}

const isRead = ({ method }: Operation): boolean => method === 'GET' || method === 'DELETE';

function pathsOf({ path, parameters, method }: Operation): fc.Arbitrary<string> {
  const places = parameters.filter((parameter) => parameter.in === 'path');
  const isRisky = method === 'PATCH' || method === 'DELETE' || path.endsWith('/latest');
  const valuesFor = ({ name, schema }: Parameter) =>
    name === 'assistant_id' && isRisky ? OWN_ASSISTANT : valuesOf(schema, name);
  const values = fc.record(Object.fromEntries(places.map((place) => [place.name, valuesFor(place)])));
  const hostile = fc.record(Object.fromEntries(places.map(({ name }) => [name, hostileText()])));
  return fc
    .oneof({ weight: 9, arbitrary: values }, { weight: 1, arbitrary: hostile })
    .map((given) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encode(String(given[name]))));
}

function queriesOf({ parameters }: Operation): fc.Arbitrary<string> {
  const places = parameters.filter((parameter) => parameter.in === 'query');
  const field = ({ name, schema }: Parameter) =>
    fc.oneof(
      { weight: 5, arbitrary: valuesOf(schema, name).map((value) => written(name, value)) },
      {
        weight: 1,
        arbitrary: valuesOf(schema, name).map((value) => `${name}=${encode(JSON.stringify(value))}`),
      },
      { weight: 2, arbitrary: hostileText().map((text) => `${name}=${encode(text)}`) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(name, `${name}=`, `${name}=%`, `${name}[]=a`, `${name}=1&${name}=2`),
      },
    );
  if (places.length === 0) return fc.constantFrom('', '', '', '?unknown=1');
  return fc
    .subarray(places)
    .chain((some) =>
      fc.tuple(...some.map(field)).map((fields) => (fields.length > 0 ? `?${fields.join('&')}` : '')),
    );
}

/** A list is repeated or joined by commas. */
function written(name: string, value: unknown): string {
  if (!Array.isArray(value)) return `${name}=${encode(String(value))}`;
  return value.length % 2 === 0
    ? `${name}=${encode(value.join(','))}`
    : value.map((item) => `${name}=${encode(String(item))}`).join('&');
}

const encode = (text: string): string =>
  /^@@\w+:\d+@@$/.test(text)
    ? text
    : encodeURIComponent(text.slice(0, MOST_CHARS).replaceAll(/[\uD800-\uDFFF]/g, '?')) || '%00';

function headersFor({ body, path }: Operation, isRaw: boolean): fc.Arbitrary<Record<string, string>> {
  const types = [
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    '*/*',
  ];
  return fc
    .record(
      {
        'content-type': body
          ? fc.oneof(fc.constant(types[0]!), fc.constantFrom(...types))
          : fc.constantFrom('text/plain', ...(isRaw ? [types[0]!, 'multipart/form-data; boundary=b'] : [])),
        'last-event-id': fc.constantFrom(
          '-',
          '-1',
          '0',
          '1795232818131-0',
          '5-*',
          '99999999999999999999',
          'a',
          "1'",
        ),
        'x-request-id': fc.constantFrom('a', 'é', 'a b', 'x'.repeat(5_000)),
        prefer: fc.constantFrom('return=minimal', 'return=nonesuch', ';;'),
        accept: fc.constantFrom('application/json', 'text/event-stream', 'image/png', '*/*', ''),
      },
      { requiredKeys: body || isRaw ? ['content-type'] : [] },
    )
    .map(
      ({ 'last-event-id': last, ...rest }) =>
        (last && path.endsWith('stream') ? { ...rest, 'last-event-id': last } : rest) as Record<
          string,
          string
        >,
    );
}
