import { PublicError } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { type NewFeedback, readFeedback } from '../feedback/feedback.ts';
import { parseLoose } from './loose-json.ts';
import type { Part } from './multipart.ts';
import { addOperation, type Batch } from './read-batch.ts';
import { BODY_COLUMNS } from './run-columns.ts';
import type { Field, Fields, RunOperation } from './run-operation.ts';

export interface Attachment {
  run_id: string;
  name: string;
  mime_type: string;
  bytes: Buffer;
}

export interface MultipartBatch extends Batch {
  attachments: Attachment[];
  /** What came with the runs. */
  feedback: NewFeedback[];
}

interface Gathered {
  kind: RunOperation['kind'];
  main: Field | undefined;
  fields: Fields;
  fault: string | undefined;
}

const FIELDS = new Set<string>([...BODY_COLUMNS, 'error']);
const OF_RUN = /^(post|patch)\.([^.]+)(?:\.([^.]+))?$/;
const ATTACHMENT = /^attachment\.([^.]+)\.(.+)$/s;

/**
 * The parts of `POST /runs/multipart` (contract §1.3), in whatever order they came. A part that cannot be read refuses
 * its run and no other.
 */
export function readMultipart(parts: Part[]): MultipartBatch {
  const batch: MultipartBatch = { operations: [], refusals: [], attachments: [], feedback: [] };
  const gathered = new Map<string, Gathered>();
  const refuse = (run_id: string | null, detail: string) => batch.refusals.push({ run_id, detail });
  for (const { name, type, body } of parts) {
    const [, kind, id, field] = OF_RUN.exec(name) ?? [];
    const [, owner, title] = ATTACHMENT.exec(name) ?? [];
    if (kind && id) gather(gathered, kind as Gathered['kind'], id, field, body);
    else if (owner && isUuid(owner))
      batch.attachments.push({
        run_id: owner.toLowerCase(),
        name: title!,
        mime_type: type || 'application/octet-stream',
        bytes: body,
      });
    else if (name.startsWith('feedback.')) {
      const read = readPart(name, body);
      if (typeof read === 'string') refuse(null, `${name.slice(0, 100)}: ${read}`);
      else batch.feedback.push(read);
    } else refuse(null, `The part ${name.slice(0, 100)} is unknown`);
  }
  for (const [key, { kind, main, fields, fault }] of gathered) {
    const id = key.slice(kind.length + 1);
    if (fault) refuse(id, fault);
    // A field may come without its run's main part: it is a patch of that field.
    else addOperation(batch, main ? kind : 'patch', main ? main.value : { id }, fields);
  }
  return batch;
}

/** The feedback of a part named by its id, or what is wrong with it. */
function readPart(name: string, body: Buffer): NewFeedback | string {
  const parsed = parseLoose(body);
  if (!parsed) return 'is no JSON';
  try {
    return readFeedback({ id: name.slice('feedback.'.length), ...(parsed.value as object) });
  } catch (error) {
    if (error instanceof PublicError) return error.message;
    throw error;
  }
}

function gather(
  gathered: Map<string, Gathered>,
  kind: Gathered['kind'],
  id: string,
  field: string | undefined,
  body: Buffer,
): void {
  const key = `${kind}.${id}`;
  const run = gathered.get(key) ?? { kind, main: undefined, fields: {}, fault: undefined };
  gathered.set(key, run);
  if (field && !FIELDS.has(field)) return;
  const parsed = parseLoose(body);
  if (!parsed) run.fault ??= `${field ?? 'the run'} is no JSON`;
  else if (field) run.fields[field as keyof Fields] = parsed;
  else {
    run.main = parsed;
    addInline(run.fields, parsed.value);
  }
}

/** Fields may stand in the main part too; a part of their own wins. */
function addInline(fields: Fields, main: unknown): void {
  if (typeof main !== 'object' || main === null) return;
  for (const [key, value] of Object.entries(main))
    if (FIELDS.has(key) && value != null)
      fields[key as keyof Fields] ??= { value, text: Buffer.from(JSON.stringify(value)) };
}
