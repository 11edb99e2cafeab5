import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { BaseChatModel, type BindToolsInput } from '@langchain/core/language_models/chat_models';
import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { type Reply, replyTo } from './fake-replies.ts';

/** A model without a network, which always gives the same answer to the same conversation, word by word. */
export class FakeChatModel extends BaseChatModel {
  readonly #wordDelayMs: number;
  readonly #tools: string[];

  constructor(options: { wordDelayMs?: number; tools?: string[] } = {}) {
    super({});
    this.#wordDelayMs = options.wordDelayMs ?? 30;
    this.#tools = options.tools ?? [];
  }

  override _llmType(): string {
    return 'fake';
  }

  override bindTools(tools: BindToolsInput[]): FakeChatModel {
    const names = tools.map((tool) => String((tool as { name?: unknown }).name));
    return new FakeChatModel({ wordDelayMs: this.#wordDelayMs, tools: names });
  }

  override async _generate(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    let whole: ChatGenerationChunk | undefined;
    for await (const chunk of this._streamResponseChunks(messages, options, runManager)) {
      whole = whole?.concat(chunk) ?? chunk;
    }
    return { generations: whole ? [whole] : [] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    { signal }: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const id = messageId(messages);
    for (const message of replyChunks(replyTo(messages, this.#tools), id, messages)) {
      await setTimeout(this.#wordDelayMs, undefined, signal && { signal });
      const { text } = message;
      const chunk = new ChatGenerationChunk({ text, message });
      yield chunk;
      await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

/** The same id for all chunks of a message, and for the same message if a node runs again. */
function messageId(messages: BaseMessage[]): string {
  const conversation = messages.map(({ id, content }) => [id, content]);
  return `fake-${createHash('sha256').update(JSON.stringify(conversation)).digest('hex').slice(0, 24)}`;
}

function* replyChunks(
  { text, toolCall }: Reply,
  id: string,
  prompt: BaseMessage[],
): Generator<AIMessageChunk> {
  const words = text.match(/\S+\s*/g) ?? [];
  for (const word of words) yield new AIMessageChunk({ id, content: word });
  if (toolCall) {
    const { name, args } = toolCall;
    const call = { type: 'tool_call_chunk' as const, index: 0 };
    yield new AIMessageChunk({
      id,
      content: '',
      tool_call_chunks: [{ ...call, id: id.replace('fake', 'call'), name, args: '' }],
    });
    // Models send the arguments as fragments of JSON.
    for (const fragment of JSON.stringify(args).match(/.{1,8}/gs) ?? []) {
      yield new AIMessageChunk({ id, content: '', tool_call_chunks: [{ ...call, args: fragment }] });
    }
  }
  const input = prompt.reduce((sum, message) => sum + message.text.split(/\s+/).length, 0);
  const output = words.length + (toolCall ? 5 : 0);
  const usage_metadata = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  const response_metadata = { model_name: 'fake', finish_reason: toolCall ? 'tool_calls' : 'stop' };
  yield Object.assign(new AIMessageChunk({ id, content: '', response_metadata }), { usage_metadata });
}
