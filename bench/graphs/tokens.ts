import { setImmediate as turn } from 'node:timers/promises';
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk } from '@langchain/core/outputs';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

export const token = (index: number): string => `token${index} `;

/** Streams the requested number of tokens as fast as it can. */
class Speaker extends BaseChatModel {
  readonly #tokens: number;

  constructor(tokens: number) {
    super({});
    this.#tokens = tokens;
  }

  _llmType(): string {
    return 'speaker';
  }

  _generate(): never {
    throw new Error('The speaker only streams');
  }

  override async *_streamResponseChunks(
    _messages: BaseMessage[],
    _options: this['ParsedCallOptions'],
    manager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for (let index = 0; index < this.#tokens; index++) {
      const text = token(index);
      const message = new AIMessageChunk({ content: text, id: 'speech' });
      const chunk = new ChatGenerationChunk({ text, message });
      yield chunk;
      await manager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

const State = Annotation.Root({
  /** Number of message chunks to stream. */
  messages: Annotation<number>(),
  /** Number of custom events to stream. */
  custom: Annotation<number>(),
  sent: Annotation<number>(),
});

// Yields to the event loop now and then, as a real source does.
const EVENTS_A_TURN = 16;

export const tokens = new StateGraph(State)
  .addNode('speak', async ({ messages = 0, custom = 0 }, { writer }) => {
    for (let index = 0; index < custom; index++) {
      writer?.({ index, text: token(index) });
      if (index % EVENTS_A_TURN === 0) await turn();
    }
    if (messages > 0) await new Speaker(messages).invoke('speak');
    return { sent: messages + custom };
  })
  .addEdge(START, 'speak')
  .addEdge('speak', END)
  .compile();
