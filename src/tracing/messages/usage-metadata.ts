import { isObject } from '../../platform/json-object.ts';

import type { MessageUsage } from './message.ts';

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Reads `usage_metadata` and computes a missing total. Undefined for anything else. */
export function usageOf(value: unknown): MessageUsage | undefined {
  if (!isObject(value)) return undefined;
  const { input_tokens, output_tokens, total_tokens } = value;
  if (!isCount(input_tokens) || !isCount(output_tokens)) return undefined;
  const total = isCount(total_tokens) ? total_tokens : input_tokens + output_tokens;
  return { ...value, input_tokens, output_tokens, total_tokens: total };
}
