import { isObject } from '../../platform/json-object.ts';

import { type BlockReader, reasoning, toolCall, toolMessage } from './pieces.ts';

/** Content blocks of Bedrock's Converse API and compatible ones, each under its own key. */
export const readConverse: BlockReader = (block, read) => {
  const { toolUse, toolResult, reasoningContent } = block;
  if (isObject(toolUse)) return [toolCall(toolUse['name'], toolUse['input'], toolUse['toolUseId'])];
  if (isObject(toolResult)) return [toolMessage(toolResult['toolUseId'], toolResult['content'], read)];
  const thought = isObject(reasoningContent) ? reasoningContent['reasoningText'] : undefined;
  return isObject(thought) && typeof thought['text'] === 'string' ? reasoning(thought['text']) : undefined;
};
