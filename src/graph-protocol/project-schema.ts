import { type Static, Type } from 'typebox';
import { JsonObject, StringEnum } from '../platform/schema.ts';
import { Http, Webhooks } from './project-http-schema.ts';
import { Count, Flag, open, Text, Texts } from './project-schema-parts.ts';

const Minutes = Type.Optional(Type.Number({ exclusiveMinimum: 0 }));

const Graph = Type.Union([Text, open({ path: Text, description: Type.Optional(Type.String()) })]);

/** The environment: a file, the values themselves, or the names that must be set. */
const Env = Type.Union([
  Text,
  Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  Type.Array(Text),
]);

const Auth = open({
  path: Type.Optional(Text),
  disable_studio_auth: Flag,
  openapi: Type.Optional(
    open({ securitySchemes: Type.Optional(JsonObject), security: Type.Optional(Type.Unknown()) }),
  ),
  cache: Type.Optional(
    open({
      cache_keys: Type.Optional(Texts),
      ttl_seconds: Type.Optional(Type.Number({ minimum: 0 })),
      max_size: Count,
    }),
  ),
});

const Store = open({
  index: Type.Optional(
    open({
      dims: Type.Integer({ minimum: 1 }),
      embed: Text,
      fields: Type.Optional(Type.Union([Texts, Type.Null()])),
    }),
  ),
  ttl: Type.Optional(open({ refresh_on_read: Flag, default_ttl: Minutes, sweep_interval_minutes: Minutes })),
  path: Type.Optional(Text),
});

// Limits the classes that Python servers load by name from old checkpoints. We load none, so it has no effect.
const JsonModules = Type.Union([
  Type.Array(Type.Array(Text, { minItems: 3, maxItems: 3 })),
  Type.Boolean(),
  Type.Null(),
]);

const Checkpointer = open({
  ttl: Type.Optional(
    open({
      strategy: Type.Optional(StringEnum(['delete', 'keep_latest'])),
      default_ttl: Minutes,
      sweep_interval_minutes: Minutes,
      sweep_limit: Count,
    }),
  ),
  serde: Type.Optional(open({ allowed_json_modules: Type.Optional(JsonModules) })),
  path: Type.Optional(Text),
  backend: Type.Optional(Type.String()),
});

/**
 * `graph.json`, alias `langgraph.json` (contract §14). What only a build reads (dependencies, dockerfile_lines,
 * docker_compose_file, base_image, image_distro, api_version, python_version) passes as an unknown key.
 */
export const ProjectConfig = open({
  graphs: Type.Record(Type.String(), Graph, { minProperties: 1 }),
  env: Type.Optional(Env),
  node_version: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
  auth: Type.Optional(Auth),
  store: Type.Optional(Store),
  checkpointer: Type.Optional(Checkpointer),
  http: Type.Optional(Http),
  webhooks: Type.Optional(Webhooks),
  ui: Type.Optional(Type.Record(Type.String(), Type.String())),
  ui_config: Type.Optional(open({ shared: Type.Optional(Texts) })),
  encryption: Type.Optional(open({ path: Text })),
});
export type ProjectConfig = Static<typeof ProjectConfig>;
