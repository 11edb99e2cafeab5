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
  const input = inputs.read(inputs.entries);
  const output = withUsage(withoutRepeated(input, outputs.read(outputs.entries)), outputs);
  const messages = [...input, ...output];
  const raw = { ...rawOf(run, 'inputs', inputs), ...rawOf(run, 'outputs', outputs) };
  return {
    messages,
    first_output: input.length,
    warnings: checkMessages(messages),
    format: { inputs: inputs.format(), outputs: outputs.format() },
    ...(Object.keys(raw).length > 0 && { raw }),
  };
}

const rawOf = (run: RunBodies, side: Side, { format }: Recognised) =>
  format() === 'unknown' ? { [side]: run[side] } : {};

/** Graphs return the whole conversation; drops the leading messages that repeat the inputs. */
function withoutRepeated(input: Message[], output: Message[]): Message[] {
  const isRepeated =
    input.length > 0 &&
    output.length >= input.length &&
    input.every((one, at) => hasSameContent(one, output[at]!));
  return isRepeated ? output.slice(input.length) : output;
}

const hasSameContent = (one: Message, other: Message): boolean =>
  one.role === other.role && one.tool_call_id === other.tool_call_id && words(one) === words(other);
const words = ({ content }: Message): string =>
  jsonText(content.map((item) => ({ ...item, extras: undefined })));

/** Assigns usage of the whole call to its last answer. */
function withUsage(output: Message[], { body }: Recognised): Message[] {
  const usage = usageOf(body['usage_metadata']);
  const last = output.findLastIndex(({ role }) => role === 'assistant');
  return output.map((message, index) =>
    index === last ? { ...given('usage_metadata', usage), ...message } : message,
  );
}
