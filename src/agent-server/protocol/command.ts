import type { Logger } from 'pino';
import { type Static, type TSchema, Type } from 'typebox';
import { PublicError } from '../../platform/errors.ts';
import { compileValidator, JsonObject } from '../../platform/schema.ts';
import { RunNotFound } from '../errors.ts';
import { type CommandCode, CommandRefused } from './command-refused.ts';

/** A client's command, over either transport (contract §15.3). */
export const Command = Type.Object({
  id: Type.Integer({ minimum: 0 }),
  method: Type.String({ minLength: 1 }),
  params: Type.Optional(JsonObject),
});
export type Command = Static<typeof Command>;

export const CommandAnswer = Type.Object({
  type: Type.Union([Type.Literal('success'), Type.Literal('error')]),
  id: Type.Union([Type.Integer(), Type.Null()]),
  result: Type.Optional(JsonObject),
  error: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  meta: Type.Optional(Type.Object({ applied_through_seq: Type.Integer() })),
});
export type CommandAnswer = Static<typeof CommandAnswer>;

export interface Carried {
  result: Record<string, unknown>;
  /** Highest `seq` that precedes the command's effects. */
  through?: number;
}

export type CommandHandler = (params: unknown) => Promise<Carried>;

/** Defines a command whose parameters are validated first; a schema failure is `invalid_argument`. */
export function defineCommand<Schema extends TSchema>(
  schema: Schema,
  carryOut: (params: Static<Schema>) => Promise<Carried>,
): CommandHandler {
  const check = compileValidator(schema, 'params');
  return async (params) => carryOut(check(params ?? {}));
}

/** Runs a command and returns its response; never throws. */
export async function answerCommand(
  handlers: Record<string, CommandHandler>,
  { id, method, params }: Command,
  log: Logger,
): Promise<CommandAnswer> {
  const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
  try {
    if (!handler) throw new CommandRefused('unknown_command', `Unknown command: ${method.slice(0, 100)}`);
    const { result, through } = await handler(params);
    return {
      type: 'success',
      id,
      result,
      ...(through !== undefined && { meta: { applied_through_seq: through } }),
    };
  } catch (error) {
    return refusal(id, method, error, log);
  }
}

function refusal(id: number, method: string, error: unknown, log: Logger): CommandAnswer {
  if (error instanceof CommandRefused)
    return { type: 'error', id, error: error.code, message: error.message, ...error.more };
  if (error instanceof PublicError && error.status < 500)
    return { type: 'error', id, error: codeOf(error), message: error.message };
  log.error({ err: error, method }, 'command failed');
  return { type: 'error', id, error: 'unknown_error', message: 'The command could not be carried out' };
}

function codeOf(error: PublicError): CommandCode {
  if (error instanceof RunNotFound) return 'no_such_run';
  return error.status === 401 || error.status === 403 ? 'permission_denied' : 'invalid_argument';
}
