import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';

/** Stands in for a model, without a key or a network: it answers by fixed rules. Keep it for tests. */
export class ScriptedModel extends BaseChatModel {
  constructor() {
    super({});
  }

  override _llmType(): string {
    return 'scripted';
  }

  override bindTools(): this {
    return this;
  }

  override _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = replyTo(messages);
    return Promise.resolve({ generations: [{ text: message.text, message }] });
  }
}

function replyTo(messages: BaseMessage[]): AIMessage {
  const last = messages.at(-1);
  const text = last?.text ?? '';
  const order_id = /\d+/.exec(text)?.[0];
  if (last?.type === 'tool') return new AIMessage(text);
  if (!order_id) return new AIMessage('Ask me about an order, such as "refund order 1001".');
  const name = /refund/i.test(text) ? 'refund_order' : 'look_up_order';
  return new AIMessage({
    content: '',
    tool_calls: [{ name, args: { order_id }, id: `call-${messages.length}` }],
  });
}
