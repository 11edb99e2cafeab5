import type { Family } from '../family.ts';

/** OpenInference: Arize Phoenix and compatible instrumentations. */
export const openInference: Family = {
  inputs: [
    { flattened: 'llm.input_messages.', as: 'messages' },
    { flattened: 'llm.prompts.', as: 'prompts' },
    { attribute: 'input.value', mime: 'input.mime_type' },
    { flattened: 'embedding.embeddings.', as: 'embeddings' },
  ],
  outputs: [
    { flattened: 'llm.output_messages.', as: 'messages' },
    { attribute: 'output.value', mime: 'output.mime_type' },
    { flattened: 'retrieval.documents.', as: 'documents' },
    { flattened: 'reranker.output_documents.', as: 'documents' },
  ],
  provider: ['llm.provider', 'llm.system'],
  model: ['llm.request.model_name', 'llm.model_name', 'embedding.model_name', 'reranker.model_name'],
  response_model: ['llm.response.model_name'],
  params: {
    'llm.invocation_parameters': '',
  },
  usage: {
    'llm.token_count.prompt': 'input_tokens',
    'llm.token_count.completion': 'output_tokens',
    'llm.token_count.total': 'total_tokens',
    'llm.token_count.prompt_details.cache_read': 'input_token_details.cache_read',
    'llm.token_count.prompt_details.cache_write': 'input_token_details.cache_creation',
    'llm.token_count.prompt_details.audio': 'input_token_details.audio',
    'llm.token_count.completion_details.reasoning': 'output_token_details.reasoning',
    'llm.token_count.completion_details.audio': 'output_token_details.audio',
    'llm.cost.prompt': 'input_cost',
    'llm.cost.completion': 'output_cost',
    'llm.cost.total': 'total_cost',
  },
  tags: ['tag.tags'],
  metadata: {
    metadata: '',
    'session.id': 'session_id',
    'user.id': 'user_id',
  },
  new_token: { events: ['First Token Stream Event'] },
  own: ['input.mime_type', 'output.mime_type'],
};
