import { type Static, Type } from 'typebox';
import { JsonObject } from '../schema.ts';

export const JsonRpcId = Type.Union([Type.String(), Type.Integer(), Type.Null()]);
export type JsonRpcId = Static<typeof JsonRpcId>;

export const JsonRpcRequest = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: JsonRpcId,
  method: Type.String(),
  params: Type.Optional(JsonObject),
});

export const JsonRpcResponse = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: JsonRpcId,
  result: Type.Optional(JsonObject),
  error: Type.Optional(
    Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) }),
  ),
});
export type JsonRpcResponse = Static<typeof JsonRpcResponse>;

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;

/** A failure answered to the caller with this code and message. */
export class JsonRpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const rpcResult = (id: JsonRpcId, result: object): JsonRpcResponse => ({
  jsonrpc: '2.0',
  id,
  result: result as JsonObject,
});

export const rpcError = (id: JsonRpcId, { code, message, data }: JsonRpcError): JsonRpcResponse => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data !== undefined && { data }) },
});

/** The id of an otherwise invalid request; null if it has none that a response may carry. */
export function readableId(sent: unknown): JsonRpcId {
  const id = (sent as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' || Number.isInteger(id) ? (id as string | number) : null;
}
