import { type Static, Type } from 'typebox';
import { INVALID_PARAMS, JsonRpcError } from '../../platform/http/json-rpc.ts';
import { isUuid } from '../../platform/ids.ts';
import { compileValidator, JsonObject, StringEnum } from '../../platform/schema.ts';
import { Command } from '../records/run.ts';
import { contentTypeNotSupported } from './a2a-errors.ts';

const WirePart = Type.Object({
  kind: Type.Optional(StringEnum(['text', 'data', 'file'])),
  text: Type.Optional(Type.String()),
  data: Type.Optional(JsonObject),
});

/** Both spellings: 0.3 with `kind` and lower-case roles, 1.0 without `kind` and with `ROLE_*`. */
const WireMessage = Type.Object({
  role: StringEnum(['user', 'agent', 'ROLE_USER', 'ROLE_AGENT']),
  parts: Type.Array(WirePart, { minItems: 1 }),
  messageId: Type.String({ minLength: 1 }),
  contextId: Type.Optional(Type.String()),
  taskId: Type.Optional(Type.String()),
  command: Type.Optional(Command),
});

const Configuration = Type.Object({
  historyLength: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
  blocking: Type.Optional(Type.Boolean()),
  returnImmediately: Type.Optional(Type.Boolean()),
  pushNotificationConfig: Type.Optional(JsonObject),
  taskPushNotificationConfig: Type.Optional(JsonObject),
});

const SendParams = Type.Object({
  message: WireMessage,
  configuration: Type.Optional(Configuration),
  command: Type.Optional(Command),
  context: Type.Optional(JsonObject),
});

/** A message, independent of its spelling. */
export interface SentMessage {
  role: 'user' | 'agent';
  messageId: string;
  /** The text parts, one per line; undefined if there are none. */
  text: string | undefined;
  /** The data parts, merged in order; undefined if there are none. */
  data: JsonObject | undefined;
  contextId: string | undefined;
  taskId: string | undefined;
  command: Static<typeof Command> | undefined;
  context: JsonObject | undefined;
  configuration: Static<typeof Configuration>;
}

const check = compileValidator(SendParams, 'params');

/** Throws InvalidRequest and JsonRpcError if the message is incomplete or has unsupported content (contract §11.2). */
export function readSentMessage(params: object): SentMessage {
  const { message, configuration = {}, command = message.command, context } = check(params);
  const parts = message.parts.map(readPart);
  const texts = parts.flatMap(({ text }) => (text === undefined ? [] : [text]));
  const data = parts.flatMap(({ data }) => (data === undefined ? [] : [data]));
  const contextId = message.contextId?.toLowerCase() || undefined;
  if (contextId !== undefined && !isUuid(contextId)) throw invalid('params.message.contextId must be a UUID');
  return {
    role: message.role.endsWith('USER') || message.role === 'user' ? 'user' : 'agent',
    messageId: message.messageId,
    text: texts.length > 0 ? texts.join('\n') : undefined,
    // Spread rather than assign, because a key may be named __proto__.
    data: data.length > 0 ? data.reduce((merged, next) => ({ ...merged, ...next })) : undefined,
    contextId,
    taskId: message.taskId || undefined,
    // Ignore an empty command.
    command: command && Object.keys(command).length > 0 ? command : undefined,
    context,
    configuration,
  };
}

function readPart({ kind, text, data, ...rest }: Static<typeof WirePart>, index: number) {
  if (kind === 'file' || ['file', 'url', 'raw'].some((key) => key in rest))
    throw contentTypeNotSupported('Parts of kind file are not supported');
  const place = `params.message.parts.${index}`;
  if (kind === 'text' && text === undefined) throw invalid(`${place}.text is required`);
  if (kind === 'data' && data === undefined) throw invalid(`${place}.data is required`);
  if (text === undefined && data === undefined) throw invalid(`${place} must have text or data`);
  return kind === 'data' ? { data } : kind === 'text' || text !== undefined ? { text } : { data };
}

const invalid = (detail: string) => new JsonRpcError(INVALID_PARAMS, detail);
