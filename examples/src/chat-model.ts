import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { FakeChatModel } from './fake-chat-model.ts';

/**
 * Any OpenAI-compatible model when OPENAI_API_KEY and OPENAI_BASE_URL are set (OPENAI_MODEL names it), else the fake
 * one, which needs neither a key nor a network.
 */
export async function chatModel(): Promise<BaseChatModel> {
  const {
    OPENAI_API_KEY: apiKey,
    OPENAI_BASE_URL: baseURL,
    OPENAI_MODEL: model = 'gpt-4o-mini',
  } = process.env;
  if (!apiKey || !baseURL) return new FakeChatModel();
  const { ChatOpenAI } = await importOpenAI();
  return new ChatOpenAI({ apiKey, model, configuration: { baseURL } });
}

interface OpenAIModule {
  ChatOpenAI: new (fields: object) => BaseChatModel;
}

async function importOpenAI(): Promise<OpenAIModule> {
  // Optional, so named where no compiler looks for it.
  const name: string = '@langchain/openai';
  try {
    return (await import(name)) as OpenAIModule;
  } catch (cause) {
    // 1.5.8 is the newest that runs on Node 20.
    throw new Error(`OPENAI_API_KEY is set but ${name} is not installed: npm install ${name}@1.5.8`, {
      cause,
    });
  }
}
