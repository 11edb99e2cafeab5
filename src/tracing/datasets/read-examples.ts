import { isUuid } from '../../platform/ids.ts';
import { compileValidator, type JsonObject } from '../../platform/schema.ts';
import { InvalidExample } from '../errors.ts';
import { MAX_DEPTH, parseLoose } from '../json/loose-json.ts';
import { parseLossless } from '../json/lossless-numbers.ts';
import type { Part } from '../request/multipart.ts';
import { ExampleCreate, ExampleUpdate } from './example.ts';

/** An attachment that is not yet stored. */
export interface NewAttachment {
  name: string;
  mime_type: string;
  bytes: Buffer;
}

/** The combined parts of one id. */
export interface Sent<Body> {
  id: string;
  body: Body;
  attachments: NewAttachment[];
}

const FIELD = /^([^.]+)(?:\.(inputs|outputs|attachments_operations)|\.attachment\.(.+))?$/s;

/**
 * Groups the parts of a multipart body by example (contract §1.13), in order of first appearance. Parts may come in
 * any order. Throws InvalidExample.
 */
function gatherParts(parts: Part[]): Sent<JsonObject>[] {
  const examples = new Map<string, Sent<JsonObject>>();
  for (const { name, type, body } of parts) {
    const [, named, field, attachment] = FIELD.exec(name) ?? [];
    if (!named || !isUuid(named)) throw new InvalidExample(`Unknown part ${name.slice(0, 100)}`);
    const id = named.toLowerCase();
    const example = examples.get(id) ?? { id, body: {}, attachments: [] };
    examples.set(id, example);
    if (attachment) {
      const mime_type = type || 'application/octet-stream';
      example.attachments.push({ name: attachment, mime_type, bytes: body });
      continue;
    }
    const parsed = parseLoose(body);
    if (!parsed) throw new InvalidExample(`Part ${name.slice(0, 100)} is not valid JSON`);
    if (parsed.isDeep)
      throw new InvalidExample(`Part ${name.slice(0, 100)} is nested deeper than ${MAX_DEPTH} levels`);
    const value = parseLossless(parsed.text.toString('utf8'));
    if (field) example.body[field] = value;
    else if (typeof value === 'object') example.body = { ...value, ...example.body };
  }
  if (examples.size === 0) throw new InvalidExample('The request contains no examples');
  return [...examples.values()];
}

const checkCreate = compileValidator(ExampleCreate, 'body');
const checkUpdate = compileValidator(ExampleUpdate, 'body');

/** Throws InvalidExample, InvalidRequest. */
export const readCreates = (parts: Part[]): Sent<ExampleCreate>[] =>
  gatherParts(parts).map((sent) => ({ ...sent, body: checkCreate({ ...sent.body, id: sent.id }) }));

/** Throws InvalidExample, InvalidRequest. */
export const readUpdates = (parts: Part[]): Sent<ExampleUpdate>[] =>
  gatherParts(parts).map((sent) => ({ ...sent, body: checkUpdate(sent.body) }));

/** Examples that name their common dataset. Throws InvalidExample, InvalidRequest. */
export function readUpserts(parts: Part[]): { dataset: string; sent: Sent<ExampleCreate>[] } {
  const gathered = gatherParts(parts);
  const [dataset, ...others] = new Set(gathered.map(({ body }) => body['dataset_id']));
  if (typeof dataset !== 'string' || !isUuid(dataset) || others.length > 0)
    throw new InvalidExample('All examples must have the same dataset_id');
  const sent = gathered.map(({ body: { dataset_id: _same, ...body }, ...rest }) => ({
    ...rest,
    body: checkCreate({ ...body, id: rest.id }),
  }));
  return { dataset: dataset.toLowerCase(), sent };
}
