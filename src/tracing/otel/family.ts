import type { Attributes } from './otel-span.ts';

/**
 * Where an input or output may stand. `attribute` holds JSON or text, `flattened` is a prefix of keys that are one list,
 * `read` puts it together itself from attributes whose keys begin with `keys`.
 */
export type BodySource = (
  { attribute: string } | { flattened: string } | { keys: string; read(attributes: Attributes): unknown }
) & {
  /** Under what a list, or anything else that is no object, goes: `input` or `output` where it is not said. */
  as?: string;
  /** An attribute with the type of the text: plain text is not looked into. */
  mime?: string;
  /** An attribute with what the model was told before the messages. */
  system?: string;
};

/** What one family of instrumentations calls what a run has (contract §1.9): the first that is there counts. */
export interface Family {
  inputs?: readonly BodySource[];
  outputs?: readonly BodySource[];
  provider?: readonly string[];
  /** The model that was asked for. */
  model?: readonly string[];
  /** The model that answered: what prices go by. */
  response_model?: readonly string[];
  /** Parameters of the call, each under the name it gets; one without a name is an object of them. */
  params?: Record<string, string>;
  /** Token counts, each under its path in usage_metadata; one without a path is a whole usage_metadata. */
  usage?: Record<string, string>;
  tags?: readonly string[];
  /** Metadata that get another name; a key that ends with a dot is a prefix that goes, one without a name an object. */
  metadata?: Record<string, string>;
  /** When the first token came: names of events, and attributes with the seconds or milliseconds since the start. */
  new_token?: { events?: readonly string[]; seconds?: readonly string[]; milliseconds?: readonly string[] };
  /** Said for this service and no other: read elsewhere, or of no use to anyone. */
  own?: readonly string[];
}
