import type { JsonSchema } from '../../api/json-schema.ts';
import { jsonFault, jsonText, readJson } from '../../parts/json-text.ts';

export type FieldKind = 'text' | 'number' | 'boolean' | 'choice' | 'json';

/** A form field. Its value is text whatever its kind. */
export interface Field {
  name: string;
  label: string;
  description?: string | undefined;
  kind: FieldKind;
  isRequired: boolean;
  choices: string[];
  initial: string;
}

/** Texts by field name. */
export type Draft = Record<string, string>;

/** Fields of an object schema; none for other schemas. */
export function fieldsOf(schema: JsonSchema | null): Field[] {
  if (!schema) return [];
  const root = resolve(schema, schema);
  return Object.entries(root.properties ?? {}).map(([name, given]) => {
    const property = resolve(given, schema);
    const kind = kindOf(property);
    return {
      name,
      label: property.title ?? name,
      description: given.description ?? property.description,
      kind,
      // Fields with a default are optional, even if the schema for outputs requires them.
      isRequired: (root.required?.includes(name) ?? false) && property.default === undefined,
      choices: (property.enum ?? []).map((value) => textOf(value, 'choice')),
      initial: property.default === undefined ? '' : textOf(property.default, kind),
    };
  });
}

export const takesMessages = (schema: JsonSchema | null): boolean =>
  fieldsOf(schema).some(({ name }) => name === 'messages');

export const emptyDraft = (fields: Field[]): Draft =>
  Object.fromEntries(fields.map(({ name, initial }) => [name, initial]));

/** Validation error for a text. */
export function fieldFault({ kind, isRequired }: Field, text: string): string | undefined {
  if (text.trim() === '') return isRequired ? 'Required' : undefined;
  if (kind === 'number') return Number.isFinite(Number(text)) ? undefined : 'Not a number';
  return kind === 'json' ? jsonFault(text) : undefined;
}

/** The object that the texts describe; empty fields are left out. */
export const inputOf = (fields: Field[], draft: Draft): Record<string, unknown> =>
  Object.fromEntries(
    fields.flatMap(({ name, kind }) => {
      const text = draft[name] ?? '';
      if (text.trim() === '') return [];
      return [[name, kind === 'text' ? text : kind === 'choice' ? choiceOf(text) : readJson(text)]];
    }),
  );

/** Resolves references and removes an alternative of null. */
function resolve(schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema {
  const inner = schema.$ref ? referredTo(schema.$ref, root) : onlyOne(schema);
  return inner && depth < 10 ? { ...schema, ...resolve(inner, root, depth + 1) } : schema;
}

const referredTo = (ref: string, root: JsonSchema): JsonSchema | undefined => {
  const name = ref.split('/').at(-1)!;
  return root.$defs?.[name] ?? root.definitions?.[name];
};

function onlyOne({ anyOf, oneOf, allOf }: JsonSchema): JsonSchema | undefined {
  const rest = (anyOf ?? oneOf ?? allOf ?? []).filter(({ type }) => type !== 'null');
  return rest.length === 1 ? rest[0] : undefined;
}

function kindOf({ type, enum: choices }: JsonSchema): FieldKind {
  if (choices) return 'choice';
  const types = [type].flat().filter((name) => name !== 'null');
  if (types.length !== 1) return 'json';
  if (types[0] === 'string') return 'text';
  if (types[0] === 'number' || types[0] === 'integer') return 'number';
  return types[0] === 'boolean' ? 'boolean' : 'json';
}

const textOf = (value: unknown, kind: FieldKind): string =>
  typeof value === 'string' && kind !== 'json' ? value : jsonText(value);

/** Choices are strings; other values are written as JSON. */
function choiceOf(text: string): unknown {
  return /^(-?\d|true$|false$|null$)/.test(text) && !jsonFault(text) ? readJson(text) : text;
}
