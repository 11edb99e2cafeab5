import { type Static, Type } from 'typebox';
import { given, jsonText } from './json-shape.ts';
import { checkMessages, MessageWarning } from './message-checks.ts';
import { recognise, type Recognised, type RunBodies, type Side } from './message-formats.ts';
import { Message } from './message.ts';
import { usageOf } from './usage-metadata.ts';

const FormatName = Type.Union([Type.String(), Type.Null()]);

/** A run's messages in the platform's format: its inputs, then the new messages of its outputs. */
export const RunMessages = Type.Object({
  messages: Type.Array(Message),
  /** Index of the first output message. */
  first_output: Type.Integer(),
  warnings: Type.Array(MessageWarning),
  /** Detected formats: null without a body, `unknown` if the body is returned in `raw`. */
  format: Type.Object({ inputs: FormatName, outputs: FormatName }),
  raw: Type.Optional(
    Type.Object({ inputs: Type.Optional(Type.Unknown()), outputs: Type.Optional(Type.Unknown()) }),
  ),
});
export type RunMessages = Omit<Static<typeof RunMessages>, 'messages'> & { messages: Message[] };

/** Reads messages of every supported format (contract §2.1, §2.2). Never throws: unknown formats go to `raw`. */
export function canonicalMessages(run: RunBodies): RunMessages {
  const inputs = recognise(run, 'inputs');
  const outputs = recognise(run, 'outputs');
  const asked = inputs.read(inputs.entries);
  const said = withUsage(withoutRepeated(asked, outputs.read(outputs.entries)), outputs);
  const messages = [...asked, ...said];
  const raw = { ...rawOf(run, 'inputs', inputs), ...rawOf(run, 'outputs', outputs) };
  return {
    messages,
    first_output: asked.length,
    warnings: checkMessages(messages),
    format: { inputs: inputs.format(), outputs: outputs.format() },
    ...(Object.keys(raw).length > 0 && { raw }),
  };
}

const rawOf = (run: RunBodies, side: Side, { format }: Recognised) =>
  format() === 'unknown' ? { [side]: run[side] } : {};

/** Graphs return the whole conversation; drops the leading messages that repeat the inputs. */
function withoutRepeated(asked: Message[], said: Message[]): Message[] {
  const isRepeated =
    asked.length > 0 && said.length >= asked.length && asked.every((one, at) => saysTheSame(one, said[at]!));
  return isRepeated ? said.slice(asked.length) : said;
}

const saysTheSame = (one: Message, other: Message): boolean =>
  one.role === other.role && one.tool_call_id === other.tool_call_id && words(one) === words(other);
const words = ({ content }: Message): string =>
  jsonText(content.map((item) => ({ ...item, extras: undefined })));

/** Assigns usage of the whole call to its last answer. */
function withUsage(said: Message[], { body }: Recognised): Message[] {
  const usage = usageOf(body['usage_metadata']);
  const last = said.findLastIndex(({ role }) => role === 'assistant');
  return said.map((message, index) =>
    index === last ? { ...given('usage_metadata', usage), ...message } : message,
  );
}
