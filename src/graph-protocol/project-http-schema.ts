import { Type } from 'typebox';
import { StringEnum } from '../platform/schema.ts';
import { Count, Flag, open, Text, Texts } from './project-schema-parts.ts';

const Port = Type.Integer({ minimum: 1, maximum: 65_535 });

/** Glob patterns, lower case; an exclusion wins. */
const HeaderPatterns = open({
  includes: Type.Optional(Texts),
  include: Type.Optional(Texts),
  excludes: Type.Optional(Texts),
  exclude: Type.Optional(Texts),
});

const Cors = open({
  allow_origins: Type.Optional(Texts),
  allow_methods: Type.Optional(Texts),
  allow_headers: Type.Optional(Texts),
  allow_credentials: Flag,
  allow_origin_regex: Type.Optional(Type.String({ format: 'regex' })),
  expose_headers: Type.Optional(Texts),
  /** Seconds. */
  max_age: Type.Optional(Type.Integer({ minimum: 0 })),
});

export const Http = open({
  app: Type.Optional(Text),
  disable_assistants: Flag,
  disable_threads: Flag,
  disable_runs: Flag,
  disable_store: Flag,
  disable_meta: Flag,
  disable_ui: Flag,
  disable_mcp: Flag,
  disable_a2a: Flag,
  disable_webhooks: Flag,
  disable_event_streaming: Flag,
  cors: Type.Optional(Cors),
  configurable_headers: Type.Optional(HeaderPatterns),
  logging_headers: Type.Optional(HeaderPatterns),
  mount_prefix: Type.Optional(Type.String({ pattern: '^/' })),
  enable_custom_route_auth: Flag,
  middleware_order: Type.Optional(StringEnum(['auth_first', 'middleware_first'])),
});

export const Webhooks = open({
  env_prefix: Type.Optional(Type.String()),
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  allowed_fields: Type.Optional(Texts),
  url: Type.Optional(
    open({
      require_https: Flag,
      allowed_domains: Type.Optional(Texts),
      allowed_ports: Type.Optional(Type.Array(Port)),
      max_url_length: Count,
      disable_loopback: Flag,
      disable_private_ips: Flag,
    }),
  ),
});
