import type { Queryable } from '../../platform/db/database.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { attachmentsOfRuns } from '../bodies/attachments.ts';
import { parseLossless } from '../json/lossless-numbers.ts';
import { findRuns } from '../runs/run-repository.ts';
import { RawJson, viewRuns } from '../query/run-view.ts';
import type { Attached, ExampleCreate } from './example.ts';

interface SourceRun {
  inputs: JsonObject;
  outputs: JsonObject | null;
  attachments: Attached[];
  /** Tools offered to the model. */
  tools: unknown[] | undefined;
}

/** Data that examples copy from their source runs, by run id. Missing runs are left out. */
export async function sourceRuns(
  db: Queryable,
  tenantId: string,
  examples: ExampleCreate[],
): Promise<Map<string, SourceRun>> {
  const ids = examples.flatMap((example) =>
    example.source_run_id && (example.use_source_run_io || example.use_source_run_attachments)
      ? example.source_run_id
      : [],
  );
  const rows = await findRuns(db, tenantId, [...new Set(ids)]);
  const [runs, attached] = await Promise.all([
    viewRuns(db, tenantId, rows, { bodies: ['inputs', 'outputs', 'extra'], raw: true }),
    attachmentsOfRuns(db, tenantId, ids),
  ]);
  return new Map(
    runs.map(({ id, ...run }) => {
      const inputs = valueOf(run['inputs']) as JsonObject;
      return [
        id,
        {
          inputs,
          outputs: valueOf(run['outputs']) as JsonObject | null,
          attachments: attached.get(id) ?? [],
          tools: toolsOf(inputs, valueOf(run['extra']) as JsonObject),
        },
      ];
    }),
  );
}

const valueOf = (body: unknown): unknown => (body instanceof RawJson ? parseLossless(body.text) : body);

function toolsOf(inputs: JsonObject, { invocation_params }: JsonObject): unknown[] | undefined {
  const given = (invocation_params as JsonObject | undefined)?.['tools'] ?? inputs['tools'];
  return Array.isArray(given) ? given : undefined;
}
