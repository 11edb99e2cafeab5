import type { BaseMessage } from '@langchain/core/messages';

export interface Reply {
  text: string;
  toolCall?: { name: string; args: Record<string, unknown> };
}

/** The fake model's reply: a tool's result in a sentence, a tool call if the question needs one, or an echo. */
export function replyTo(messages: BaseMessage[], tools: string[]): Reply {
  const last = messages.at(-1);
  const said = last?.text ?? '';
  if (last?.getType() === 'tool') return { text: `Here is what I found: ${said}` };

  const city = /weather\b.*?\b(?:in|for)\s+([\p{L} -]+)/iu.exec(said)?.[1]?.trim();
  if (/weather/i.test(said) && tools.includes('get_weather')) {
    return {
      text: 'Let me look that up.',
      toolCall: { name: 'get_weather', args: { city: city ?? 'Paris' } },
    };
  }

  const sum = /(-?\d+(?:\.\d+)?)\s*(?:\+|plus|and)\s*(-?\d+(?:\.\d+)?)/i.exec(said);
  if (sum && tools.includes('add')) {
    return { text: '', toolCall: { name: 'add', args: { a: Number(sum[1]), b: Number(sum[2]) } } };
  }
  return {
    text: said ? `You said: ${said}` : 'Hello! Ask me about the weather somewhere, or to add two numbers.',
  };
}
