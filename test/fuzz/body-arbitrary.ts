import fc from 'fast-check';
import { hostileBody, hostileText, hostileValue } from './hostile-values.ts';
import type { JsonSchema } from './openapi-operations.ts';
import { valuesOf } from './schema-arbitrary.ts';

type Json = Record<string, unknown>;

/** Bodies: valid by the schema, broken in one place, or not JSON at all. */
export function bodiesOf(schema: JsonSchema): fc.Arbitrary<string> {
  const valid = valuesOf(schema);
  const spoiled = fc
    .tuple(valid, hostileValue(), fc.nat(), fc.nat())
    .map(([value, hostile, key, depth]) => spoil(value, schema, hostile, key, depth % 3));
  const asJson = fc.oneof(
    { weight: 5, arbitrary: valid },
    { weight: 6, arbitrary: spoiled },
    {
      weight: 1,
      arbitrary: fc
        .tuple(valid, hostileText(), hostileValue())
        .map(([value, key, extra]) => ({ ...(value as Json), [key]: extra })),
    },
    { weight: 1, arbitrary: hostileValue() },
  );
  return fc.oneof(
    { weight: 12, arbitrary: asJson.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: hostileBody() },
  );
}

/** Replaces a field of the schema with a hostile value, at most `depth` levels deep. */
function spoil(value: unknown, schema: JsonSchema, hostile: unknown, key: number, depth: number): unknown {
  if (Array.isArray(value))
    return [...(value as unknown[]).slice(1), spoil(value[0] ?? {}, schema.items || {}, hostile, key, depth)];
  const names = Object.keys(schema.properties ?? {});
  if (names.length === 0) return depth > 0 ? { spoiled: hostile } : hostile;
  const name = names[key % names.length]!;
  const nested = (value as Json | undefined)?.[name];
  const inner = schema.properties![name]!;
  return {
    ...(value as Json),
    [name]:
      depth > 0 && inner.type === 'object' ? spoil(nested ?? {}, inner, hostile, key, depth - 1) : hostile,
  };
}
