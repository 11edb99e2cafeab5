import type { Family } from '../family.ts';

/** Traceloop's OpenLLMetry. Its messages and most counts follow the older GenAI conventions. */
export const traceloop: Family = {
  inputs: [{ attribute: 'traceloop.entity.input' }],
  outputs: [{ attribute: 'traceloop.entity.output' }],
  params: {
    'llm.frequency_penalty': 'frequency_penalty',
    'llm.presence_penalty': 'presence_penalty',
    'llm.chat.stop_sequences': 'stop',
    'llm.top_k': 'top_k',
  },
  usage: {
    'llm.usage.prompt_tokens': 'input_tokens',
    'llm.usage.completion_tokens': 'output_tokens',
    'llm.usage.total_tokens': 'total_tokens',
    'gen_ai.usage.cache_read_input_tokens': 'input_token_details.cache_read',
    'gen_ai.usage.cache_creation_input_tokens': 'input_token_details.cache_creation',
    'llm.usage.cache_read_input_tokens': 'input_token_details.cache_read',
    'llm.usage.cache_creation_input_tokens': 'input_token_details.cache_creation',
    'gen_ai.usage.reasoning_tokens': 'output_token_details.reasoning',
    'llm.usage.reasoning_tokens': 'output_token_details.reasoning',
  },
  metadata: {
    'traceloop.association.properties.': '',
  },
  new_token: { events: ['llm.content.completion.chunk'] },
};
