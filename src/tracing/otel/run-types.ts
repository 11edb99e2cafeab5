import { textOf } from './attribute-values.ts';
import type { Attributes } from './otel-span.ts';

type Types = Record<string, string>;

// Maps span-kind attributes to run types (contract §1.9). The first attribute with a known value wins.
const BY_VALUE: readonly [string, Types][] = [
  [
    'langsmith.span.kind',
    {
      llm: 'llm',
      chain: 'chain',
      tool: 'tool',
      retriever: 'retriever',
      embedding: 'embedding',
      prompt: 'prompt',
      parser: 'parser',
    },
  ],
  [
    'openinference.span.kind',
    {
      llm: 'llm',
      chain: 'chain',
      tool: 'tool',
      retriever: 'retriever',
      embedding: 'embedding',
      agent: 'chain',
      reranker: 'retriever',
      guardrail: 'chain',
      evaluator: 'chain',
      prompt: 'prompt',
    },
  ],
  [
    'gen_ai.operation.name',
    {
      chat: 'llm',
      text_completion: 'llm',
      generate_content: 'llm',
      embeddings: 'embedding',
      // LiteLLM sends the name of the called function.
      completion: 'llm',
      acompletion: 'llm',
      atext_completion: 'llm',
      responses: 'llm',
      aresponses: 'llm',
      anthropic_messages: 'llm',
      agenerate_content: 'llm',
      embedding: 'embedding',
      aembedding: 'embedding',
      rerank: 'retriever',
      arerank: 'retriever',
      retrieval: 'retriever',
      execute_tool: 'tool',
      invoke_agent: 'chain',
      create_agent: 'chain',
      invoke_workflow: 'chain',
    },
  ],
  ['traceloop.span.kind', { workflow: 'chain', task: 'chain', agent: 'chain', tool: 'tool' }],
  [
    'llm.request.type',
    { chat: 'llm', completion: 'llm', embedding: 'embedding', embeddings: 'embedding', rerank: 'retriever' },
  ],
];
const OPERATION_ID = 'ai.operationId';

export function runTypeOf(attributes: Attributes): string {
  for (const [key, types] of BY_VALUE) {
    const value = textOf(attributes[key])?.toLowerCase() ?? '';
    if (Object.hasOwn(types, value)) return types[value]!;
  }
  const operation = attributes[OPERATION_ID];
  if (typeof operation === 'string') {
    if (operation.endsWith('.doEmbed')) return 'embedding';
    if (/\.do(?:Generate|Stream)$/.test(operation)) return 'llm';
    if (operation === 'ai.toolCall') return 'tool';
  }
  return attributes['gen_ai.tool.name'] === undefined ? 'chain' : 'tool';
}
