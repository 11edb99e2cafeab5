import { Type } from 'typebox';
import { JsonObject } from '../../platform/schema.ts';

const optional = (schema: Parameters<typeof Type.Union>[0][number]) =>
  Type.Optional(Type.Union([schema, Type.Null()]));
const cores = (maximum: number) => optional(Type.Number({ minimum: 0.1, maximum }));
const count = (minimum: number) => optional(Type.Integer({ minimum, maximum: 1_000_000 }));
const megabytes = () => count(1);
const texts = () => optional(Type.Record(Type.String(), Type.String()));
const shapes = () => optional(Type.Array(JsonObject, { maxItems: 100 }));

/** Resources of an external image (contract §2.4): cores, MB, GB. Replaced as a whole; unknown keys are kept. */
export const ResourceSpec = Type.Object({
  min_scale: count(0),
  max_scale: count(1),
  cpu: cores(8),
  cpu_limit: cores(16),
  memory_mb: megabytes(),
  memory_limit_mb: megabytes(),
  queue_min_scale: count(0),
  queue_max_scale: count(1),
  queue_cpu: cores(8),
  queue_cpu_limit: cores(16),
  queue_memory_mb: megabytes(),
  queue_memory_limit_mb: megabytes(),
  db_storage_gi: count(1),
  db_max_connections: count(1),
  labels: texts(),
  annotations: texts(),
  service_account_name: optional(Type.String({ maxLength: 253 })),
  image_pull_secrets: optional(
    Type.Array(Type.Object({ name: Type.String({ maxLength: 253 }) }), { maxItems: 100 }),
  ),
  volumes: shapes(),
  volume_mounts: shapes(),
  init_containers: shapes(),
  sidecars: shapes(),
});
