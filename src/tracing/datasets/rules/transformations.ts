import { type Static, Type } from 'typebox';
import { type JsonObject, StringEnum } from '../../../platform/schema.ts';
import { isObject } from '../../../platform/json-object.ts';
import { chatMessages, chatTool } from './chat-message.ts';

const TYPES = [
  'remove_system_messages',
  'convert_to_openai_message',
  'convert_to_openai_tool',
  'remove_extra_fields',
  'extract_tools_from_run',
] as const;

/**
 * A transformation applied before an example is validated and stored (contract §1.13). `path` begins with `inputs` or
 * `outputs`.
 */
export const Transformation = Type.Object({
  path: Type.Array(Type.String({ maxLength: 1_000 }), { minItems: 1, maxItems: 20 }),
  transformation_type: StringEnum(TYPES),
});
export type Transformation = Static<typeof Transformation>;

export interface Bodies {
  inputs: JsonObject;
  outputs: JsonObject | null;
}

interface TransformContext {
  /** JSON Schemas of the dataset. */
  schemas: { inputs?: JsonObject | null; outputs?: JsonObject | null };
  /** Tools of the source run. */
  tools?: unknown[] | undefined;
}

/** Applies the transformations. Paths that match nothing have no effect. */
export const transformed = (bodies: Bodies, steps: Transformation[], context: TransformContext): Bodies =>
  steps.reduce(
    (so, step) =>
      changeAt(so as unknown as JsonObject, step.path, (value) =>
        STEPS[step.transformation_type](value, step, context),
      ) as unknown as Bodies,
    bodies,
  );

type Step = (value: unknown, step: Transformation, context: TransformContext) => unknown;

const STEPS: Record<(typeof TYPES)[number], Step> = {
  remove_system_messages: (value) =>
    Array.isArray(value) ? value.filter((message) => !chatMessages(message).some(isSystem)) : value,
  convert_to_openai_message: (value) =>
    Array.isArray(value)
      ? value.flatMap(chatMessages)
      : isObject(value)
        ? (chatMessages(value)[0] ?? value)
        : value,
  convert_to_openai_tool: (value) => (Array.isArray(value) ? value.map(chatTool) : chatTool(value)),
  remove_extra_fields: (value, { path }, { schemas }) => {
    const known = propertiesAt(schemas, path);
    if (!known || !isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([key]) => Object.hasOwn(known, key)));
  },
  extract_tools_from_run: (value, _step, { tools }) => tools?.map(chatTool) ?? value,
};

const isSystem = ({ role }: JsonObject): boolean => role === 'system';

/** Creates a missing value if the transformation provides one and the parent object exists. */
function changeAt(
  value: JsonObject,
  [key, ...rest]: string[],
  change: (value: unknown) => unknown,
): JsonObject {
  const inner = Object.hasOwn(value, key!) ? value[key!] : undefined;
  if (rest.length > 0 && !isObject(inner)) return value;
  const changed = rest.length > 0 ? changeAt(inner as JsonObject, rest, change) : change(inner);
  return changed === inner ? value : { ...value, [key!]: changed };
}

function propertiesAt(
  schemas: TransformContext['schemas'],
  [side, ...path]: string[],
): JsonObject | undefined {
  let schema: unknown = side === 'inputs' || side === 'outputs' ? schemas[side] : undefined;
  for (const key of path)
    schema = isObject(schema) && isObject(schema['properties']) ? schema['properties'][key] : undefined;
  return isObject(schema) && isObject(schema['properties']) ? schema['properties'] : undefined;
}
