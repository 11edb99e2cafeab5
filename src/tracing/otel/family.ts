import type { Attributes } from './otel-span.ts';

/**
 * A source of inputs or outputs. `attribute` contains JSON or text, `flattened` is the key prefix of a list, and
 * `read` builds the value from attributes whose keys begin with `keys`.
 */
export type BodySource = (
  { attribute: string } | { flattened: string } | { keys: string; read(attributes: Attributes): unknown }
) & {
  /** Key for values that are not objects. Defaults to `input` or `output`. */
  as?: string;
  /** Attribute with the MIME type; plain text is not parsed. */
  mime?: string;
  /** Attribute with the system instruction. */
  system?: string;
};

/** Attribute names of an instrumentation family (contract §1.9). The first attribute present wins. */
export interface Family {
  inputs?: readonly BodySource[];
  outputs?: readonly BodySource[];
  provider?: readonly string[];
  /** The requested model. */
  model?: readonly string[];
  /** The model that responded, which determines prices. */
  response_model?: readonly string[];
  /** Call parameters and their names; an empty name means an object of parameters. */
  params?: Record<string, string>;
  /** Token counts and their paths in usage_metadata; an empty path means a complete usage_metadata. */
  usage?: Record<string, string>;
  tags?: readonly string[];
  /**
   * Metadata attributes and their new names. A key ending with a dot is a prefix to remove; an empty name means an
   * object.
   */
  metadata?: Record<string, string>;
  /** Sources of the time to first token: event names, or attributes in seconds or milliseconds since the start. */
  new_token?: { events?: readonly string[]; seconds?: readonly string[]; milliseconds?: readonly string[] };
  /** Attributes to drop: read elsewhere or meaningful only to their own service. */
  own?: readonly string[];
}
