import { PublicError } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { type NewFeedback, readFeedback } from '../feedback/feedback.ts';
import { checkExact } from '../request/loose-body.ts';
import { isStorableText, UNSTORABLE } from '../json/storable-json.ts';
import { isObject } from '../../platform/json-object.ts';
import { memoryOf, type Parsed, parseLoose } from '../json/loose-json.ts';
import type { Part } from '../request/multipart.ts';
import { sliceJson } from '../json/json-slices.ts';
import { addOperation, type Batch, inlineFields, TOO_DEEP } from './read-batch.ts';

import { BODY_COLUMNS } from '../runs/run-columns.ts';
import type { Fields, RunOperation } from './run-operation.ts';
import type { Field } from '../runs/run-metadata.ts';

export interface Attachment {
  run_id: string;
  name: string;
  mime_type: string;
  bytes: Buffer;
}

export interface MultipartBatch extends Batch {
  attachments: Attachment[];
  /** Feedback sent with the runs. */
  feedback: NewFeedback[];
  /** See memoryOf. */
  memory: number;
}

interface Gathered {
  id: string;
  kind: RunOperation['kind'];
  main: Field | undefined;
  /** Body fields inside the main part. Separate parts take precedence. */
  inline: Fields;
  fields: Fields;
  fault: string | undefined;
}

const FIELDS = new Set<string>([...BODY_COLUMNS, 'error']);
const OF_RUN = /^(post|patch)\.([^.]+)(?:\.([^.]+))?$/;
const ATTACHMENT = /^attachment\.([^.]+)\.(.+)$/s;

/**
 * Parses the parts of `POST /runs/multipart` in any order (contract §1.3). An invalid part rejects only its own run.
 */
export function readMultipart(parts: Part[]): MultipartBatch {
  const batch: MultipartBatch = { operations: [], refusals: [], attachments: [], feedback: [], memory: 0 };
  const gathered: Gathered[] = [];
  const latest = new Map<string, Gathered>();
  const ofRun = (kind: Gathered['kind'], id: string, field: string | undefined): Gathered => {
    const key = `${kind}.${id}`;
    const known = latest.get(key);
    // A repeated part starts a second operation: clients may update a run more than once per batch.
    if (known && !(field ? field in known.fields : known.main)) return known;
    const run = { id, kind, main: undefined, inline: {}, fields: {}, fault: undefined };
    latest.set(key, run);
    gathered.push(run);
    return run;
  };
  const refuse = (run_id: string | null, detail: string) => batch.refusals.push({ run_id, detail });
  const read = (body: Buffer): Parsed | undefined => {
    const parsed = parseLoose(body);
    batch.memory += parsed ? memoryOf(parsed) : 0;
    return parsed;
  };
  for (const { name, type, body } of parts) {
    const [, kind, id, field] = OF_RUN.exec(name) ?? [];
    const [, owner, title] = (!kind && ATTACHMENT.exec(name)) || [];
    if (field && !FIELDS.has(field)) refuse(id!, `Unknown part ${name.slice(0, 100)}`);
    else if (kind && id) gather(ofRun(kind as Gathered['kind'], id, field), field, read(body));
    else if (owner && !isStorableText(title! + type)) refuse(owner, `attachment: ${UNSTORABLE}`);
    else if (owner && isUuid(owner))
      batch.attachments.push({
        run_id: owner.toLowerCase(),
        name: title!,
        mime_type: type || 'application/octet-stream',
        bytes: body,
      });
    else if (name.startsWith('feedback.')) {
      const feedback = readPart(name, read(body));
      if (typeof feedback === 'string') refuse(null, `${name.slice(0, 100)}: ${feedback}`);
      else batch.feedback.push(feedback);
    } else refuse(null, `Unknown part ${name.slice(0, 100)}`);
  }
  for (const { id, kind, main, inline, fields, fault } of gathered) {
    if (fault) refuse(id, fault);
    // A field without a main part patches that field.
    else
      addOperation(
        batch,
        main ? kind : 'patch',
        isObject(main?.value) && !Object.hasOwn(main.value, 'id')
          ? { id, ...main.value }
          : (main?.value ?? { id }),
        { ...inline, ...fields },
      );
  }
  return batch;
}

/** The feedback in a part, or an error message. */
function readPart(name: string, parsed: Parsed | undefined): NewFeedback | string {
  if (!parsed) return 'is not valid JSON';
  try {
    return readFeedback({ id: name.slice('feedback.'.length), ...(checkExact(parsed) as object) });
  } catch (error) {
    if (error instanceof PublicError) return error.message;
    throw error;
  }
}

function gather(run: Gathered, field: string | undefined, parsed: Parsed | undefined): void {
  if (!parsed) run.fault ??= `${field ?? 'the run'} is not valid JSON`;
  else if (parsed.isDeep) run.fault ??= TOO_DEEP;
  else if (field) run.fields[field as keyof Fields] = parsed;
  else {
    run.main = parsed;
    run.inline = inlineFields(parsed, () => sliceJson(parsed.text, 1));
  }
}
