import type { Queryable } from '../../../platform/db/database.ts';
import type { JsonObject } from '../../../platform/schema.ts';
import { InvalidExample } from '../../errors.ts';
import { ExampleSchema } from './example-schema.ts';
import { type Bodies, type Transformation, transformed } from './transformations.ts';

interface Row {
  inputs_schema_definition: JsonObject | null;
  outputs_schema_definition: JsonObject | null;
  transformations: Transformation[] | null;
}

/** A dataset's transformations and schemas (contract §1.13): examples are transformed, then validated. */
export class ExampleRules {
  readonly #rules: Row;
  readonly #inputs: ExampleSchema | undefined;
  readonly #outputs: ExampleSchema | undefined;

  /** Throws InvalidSchema. */
  constructor(rules: Row) {
    const { inputs_schema_definition: inputs, outputs_schema_definition: outputs } = rules;
    this.#rules = rules;
    this.#inputs = inputs ? new ExampleSchema(inputs, 'inputs_schema_definition') : undefined;
    this.#outputs = outputs ? new ExampleSchema(outputs, 'outputs_schema_definition') : undefined;
  }

  /** `tools` come from the run the example is made from. */
  transform<Example extends Bodies>(example: Example, tools?: unknown[]): Example {
    const {
      transformations,
      inputs_schema_definition: inputs,
      outputs_schema_definition: outputs,
    } = this.#rules;
    if (!transformations?.length) return example;
    const { inputs: exampleInputs, outputs: exampleOutputs } = example;
    const bodies = transformed({ inputs: exampleInputs, outputs: exampleOutputs }, transformations, {
      schemas: { inputs, outputs },
      tools,
    });
    return { ...example, ...bodies };
  }

  /** Throws InvalidExample for the first invalid example, InvalidSchema. Missing outputs are valid. */
  check(examples: (Bodies & { id: string })[]): void {
    const refuse = (errors: (string | undefined)[] = [], of: typeof examples, side: string): void => {
      const wrong = errors.findIndex((error) => error !== undefined);
      if (wrong >= 0) throw new InvalidExample(`Example ${of[wrong]!.id}: ${side}${errors[wrong]!}`);
    };
    refuse(this.#inputs?.errorsOf(examples.map(({ inputs }) => inputs)), examples, 'inputs');
    const answered = examples.filter(({ outputs }) => outputs !== null);
    refuse(this.#outputs?.errorsOf(answered.map(({ outputs }) => outputs)), answered, 'outputs');
  }
}

/** Rules of a dataset; no rules if it does not exist. */
export async function findExampleRules(
  db: Queryable,
  tenantId: string,
  datasetId: string,
): Promise<ExampleRules> {
  const { rows } = await db.query<Row>(
    `select inputs_schema_definition, outputs_schema_definition, transformations from tracing.dataset
     where tenant_id = $1 and id = $2`,
    [tenantId, datasetId],
  );
  return new ExampleRules(
    rows[0] ?? { inputs_schema_definition: null, outputs_schema_definition: null, transformations: null },
  );
}
