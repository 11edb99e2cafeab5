import { parsed, textOf } from '../attribute-values.ts';
import type { Family } from '../family.ts';
import type { Attributes } from '../otel-span.ts';
import { isObject } from '../../../platform/json-object.ts';

/** Vercel's AI SDK, versions 4 to 6. */
export const vercel: Family = {
  inputs: [
    { attribute: 'ai.prompt.messages', as: 'messages' },
    { attribute: 'ai.prompt', as: 'messages' },
    { attribute: 'ai.toolCall.input' },
    { attribute: 'ai.toolCall.args' },
    { attribute: 'ai.values', as: 'values' },
    { attribute: 'ai.value' },
  ],
  outputs: [
    { keys: 'ai.response.', read: readAnswer },
    { attribute: 'ai.response.object' },
    { attribute: 'ai.toolCall.output' },
    { attribute: 'ai.toolCall.result' },
    { keys: 'ai.result.', read: readOldAnswer },
    { attribute: 'ai.result.object' },
  ],
  provider: ['ai.model.provider'],
  model: ['ai.model.id'],
  response_model: ['ai.response.model'],
  params: {
    'ai.settings.temperature': 'temperature',
    'ai.settings.topP': 'top_p',
    'ai.settings.topK': 'top_k',
    'ai.settings.maxTokens': 'max_tokens',
    'ai.settings.maxOutputTokens': 'max_tokens',
    'ai.settings.frequencyPenalty': 'frequency_penalty',
    'ai.settings.presencePenalty': 'presence_penalty',
    'ai.settings.seed': 'seed',
    'ai.prompt.tools': 'tools',
    'ai.prompt.toolChoice': 'tool_choice',
  },
  usage: {
    'ai.usage.inputTokens': 'input_tokens',
    'ai.usage.promptTokens': 'input_tokens',
    'ai.usage.tokens': 'input_tokens',
    'ai.usage.outputTokens': 'output_tokens',
    'ai.usage.completionTokens': 'output_tokens',
    'ai.usage.totalTokens': 'total_tokens',
    'ai.usage.cachedInputTokens': 'input_token_details.cache_read',
    'ai.usage.inputTokenDetails.cacheReadTokens': 'input_token_details.cache_read',
    'ai.usage.inputTokenDetails.cacheWriteTokens': 'input_token_details.cache_creation',
    'ai.usage.reasoningTokens': 'output_token_details.reasoning',
    'ai.usage.outputTokenDetails.reasoningTokens': 'output_token_details.reasoning',
  },
  metadata: {
    'ai.telemetry.metadata.': '',
  },
  new_token: { events: ['ai.stream.firstChunk'], milliseconds: ['ai.response.msToFirstChunk'] },
};

function readAnswer(attributes: Attributes): unknown {
  return answerOf(
    attributes['ai.response.reasoning'],
    attributes['ai.response.text'],
    attributes['ai.response.toolCalls'],
  );
}

function readOldAnswer(attributes: Attributes): unknown {
  return answerOf(undefined, attributes['ai.result.text'], attributes['ai.result.toolCalls']);
}

/** One message with its parts, as the SDK's own wrapper logs it. */
function answerOf(reasoning: unknown, text: unknown, toolCalls: unknown): unknown {
  const calls = parsed(toolCalls);
  const content = [
    ...partOf('reasoning', reasoning),
    ...partOf('text', text),
    ...(Array.isArray(calls) ? calls.filter(isObject).map(callOf) : []),
  ];
  return content.length > 0 ? { role: 'assistant', content } : undefined;
}

const partOf = (type: string, value: unknown): object[] => {
  const text = textOf(value);
  return text === undefined ? [] : [{ type, text }];
};

const callOf = ({ toolCallId, toolName, input, args }: Attributes): object => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: parsed(input ?? args) ?? {},
});
