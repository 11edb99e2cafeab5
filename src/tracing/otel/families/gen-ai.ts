import type { Family } from '../family.ts';

/** OpenTelemetry's GenAI semantic conventions, current then deprecated. */
export const genAi: Family = {
  inputs: [
    { attribute: 'gen_ai.input.messages', as: 'messages', system: 'gen_ai.system_instructions' },
    { attribute: 'gen_ai.prompt', as: 'messages' },
    { flattened: 'gen_ai.prompt.', as: 'messages' },
    { attribute: 'gen_ai.tool.call.arguments' },
    { attribute: 'gen_ai.retrieval.query.text', as: 'query' },
  ],
  outputs: [
    { attribute: 'gen_ai.output.messages', as: 'messages' },
    { attribute: 'gen_ai.completion', as: 'messages' },
    { flattened: 'gen_ai.completion.', as: 'messages' },
    { attribute: 'gen_ai.tool.call.result' },
    { attribute: 'gen_ai.retrieval.documents', as: 'documents' },
  ],
  provider: ['gen_ai.provider.name', 'gen_ai.system'],
  model: ['gen_ai.request.model'],
  response_model: ['gen_ai.response.model'],
  params: {
    'gen_ai.request.temperature': 'temperature',
    'gen_ai.request.top_p': 'top_p',
    'gen_ai.request.top_k': 'top_k',
    'gen_ai.request.max_tokens': 'max_tokens',
    'gen_ai.request.stop_sequences': 'stop',
    'gen_ai.request.frequency_penalty': 'frequency_penalty',
    'gen_ai.request.presence_penalty': 'presence_penalty',
    'gen_ai.request.seed': 'seed',
    'gen_ai.request.choice.count': 'n',
    'gen_ai.tool.definitions': 'tools',
  },
  usage: {
    'gen_ai.usage.input_tokens': 'input_tokens',
    'gen_ai.usage.prompt_tokens': 'input_tokens',
    'gen_ai.usage.output_tokens': 'output_tokens',
    'gen_ai.usage.completion_tokens': 'output_tokens',
    'gen_ai.usage.total_tokens': 'total_tokens',
    'gen_ai.usage.input_token_details': 'input_token_details',
    'gen_ai.usage.output_token_details': 'output_token_details',
    'gen_ai.usage.cache_read.input_tokens': 'input_token_details.cache_read',
    'gen_ai.usage.cache_creation.input_tokens': 'input_token_details.cache_creation',
    'gen_ai.usage.cache_write.input_tokens': 'input_token_details.cache_creation',
    'gen_ai.usage.cache_write_input_tokens': 'input_token_details.cache_creation',
    'gen_ai.usage.reasoning.output_tokens': 'output_token_details.reasoning',
    'gen_ai.usage.details.reasoning_tokens': 'output_token_details.reasoning',
    'gen_ai.usage.details.cache_read_tokens': 'input_token_details.cache_read',
    'gen_ai.usage.details.cached_tokens': 'input_token_details.cache_read',
    'gen_ai.usage.details.cache_write_tokens': 'input_token_details.cache_creation',
  },
  metadata: {
    'gen_ai.conversation.id': 'thread_id',
  },
  new_token: {
    events: ['gen_ai.content.completion.chunk'],
    seconds: ['gen_ai.response.time_to_first_chunk', 'gen_ai.server.time_to_first_token'],
  },
};
