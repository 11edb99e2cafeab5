import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';
import { compact, listOf, objectsOf, restOf, textOf } from './json-shape.ts';
import { mediaItem } from './media.ts';
import {
  assemble,
  type BlockReader,
  type Blocks,
  reasoning,
  serverToolCall,
  serverToolResult,
  text,
  toolCall,
  toolMessage,
} from './pieces.ts';
import { roleOf } from './roles.ts';

const textBlock: BlockReader = (block) =>
  typeof block['text'] === 'string'
    ? text(block['text'], restOf(block, 'text', 'annotations', 'logprobs'), block['annotations'])
    : undefined;
const reasoningBlock: BlockReader = (block) =>
  typeof block['text'] === 'string' ? reasoning(block['text'], restOf(block, 'text')) : undefined;

const image: BlockReader = (block) => [
  mediaItem(
    'image',
    { url: block['image_url'], id: block['file_id'] },
    restOf(block, 'image_url', 'file_id'),
  ),
];

/** Custom tools take text, shells and computers an action, functions JSON. */
const call =
  (name?: string): BlockReader =>
  (item) => {
    const args =
      item['arguments'] ??
      compact({ input: item['input'], action: item['action'], operation: item['operation'] });
    const extras = restOf(item, 'call_id', 'name', 'arguments', 'input', 'action', 'operation');
    return [toolCall(textOf(item['name']) ?? name, args, textOf(item['call_id'], item['id']), extras)];
  };

const callOutput: BlockReader = (item, read) => {
  const output = isObject(item['output']) && item['output']['type'] ? [item['output']] : item['output'];
  return [toolMessage(item['call_id'], output, read, restOf(item, 'call_id', 'output'))];
};

/** Provider-executed tools: a call with its arguments and a result. */
const builtIn =
  (name: string, given: string[], results: string[]): BlockReader =>
  (item) => {
    const pick = (keys: string[]): JsonObject | undefined =>
      compact(Object.fromEntries(keys.map((key) => [key, item[key]])));
    const isError = item['status'] === 'failed' || (item['error'] !== undefined && item['error'] !== null);
    const { status: _, ...extras } = restOf(item, 'id', 'name', ...given, ...results) ?? {};
    const args = typeof item['arguments'] === 'string' ? item['arguments'] : pick(given);
    const invocation = serverToolCall(textOf(item['name']) ?? name, args, item['id'], compact(extras));
    const output = pick(results);
    if (!output && item['status'] === 'in_progress') return [invocation];
    return [invocation, serverToolResult(item['id'], output, isError)];
  };

/** Items and content parts of the Responses API. */
export const RESPONSES_BLOCKS: Blocks = {
  message: (item, read) => {
    const pieces = read(item['content']);
    const role = roleOf(item['role'])?.role ?? 'user';
    // All output of a turn forms one message.
    return role === 'assistant' ? pieces : assemble(role, pieces);
  },
  input_text: textBlock,
  output_text: textBlock,
  summary_text: reasoningBlock,
  reasoning_text: reasoningBlock,
  input_image: image,
  computer_screenshot: image,
  input_file: (block) => [
    mediaItem(
      'file',
      { url: block['file_data'] ?? block['file_url'], id: block['file_id'] },
      restOf(block, 'file_data', 'file_url', 'file_id'),
    ),
  ],
  reasoning: (item) => {
    if (!Array.isArray(item['summary']) && !Array.isArray(item['content'])) return undefined;
    const texts = objectsOf([...listOf(item['content']), ...listOf(item['summary'])]);
    const summary = texts.map((part) => textOf(part['text']) ?? '').join('\n');
    return reasoning(summary, restOf(item, 'summary', 'content', 'status'));
  },
  function_call: call(),
  custom_tool_call: call(),
  computer_call: call('computer'),
  local_shell_call: call('local_shell'),
  shell_call: call('shell'),
  apply_patch_call: call('apply_patch'),
  function_call_output: callOutput,
  custom_tool_call_output: callOutput,
  computer_call_output: callOutput,
  local_shell_call_output: callOutput,
  shell_call_output: callOutput,
  apply_patch_call_output: callOutput,
  web_search_call: builtIn('web_search', ['action'], ['results']),
  file_search_call: builtIn('file_search', ['queries'], ['results']),
  code_interpreter_call: builtIn('code_interpreter', ['code', 'container_id'], ['outputs']),
  image_generation_call: (item, read) => [
    ...(builtIn('image_generation', ['revised_prompt'], [])({ ...item, result: undefined }, read) ?? []),
    ...(typeof item['result'] === 'string'
      ? [mediaItem('image', { base64: item['result'], mime_type: imageType(item) })]
      : []),
  ],
  mcp_call: builtIn('mcp', ['arguments'], ['output', 'error']),
  mcp_list_tools: builtIn('mcp_list_tools', ['server_label'], ['tools', 'error']),
};

const imageType = (item: JsonObject): string => `image/${textOf(item['output_format']) ?? 'png'}`;
