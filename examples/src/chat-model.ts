import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { FakeChatModel } from './fake-chat-model.ts';

/**
 * The scripted model, which needs neither a key nor a network, unless EXAMPLES_MODEL names a model of OpenAI or of a
 * compatible endpoint at OPENAI_BASE_URL. A key alone, perhaps set for another program, changes nothing.
 */
async function chooseModel(): Promise<BaseChatModel> {
  const { EXAMPLES_MODEL: name, OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL } = process.env;
  if (!name) {
    console.log('The example agents answer with a scripted model; EXAMPLES_MODEL names another');
    return new FakeChatModel();
  }
  if (!apiKey) throw new Error(`EXAMPLES_MODEL is ${name}, and OPENAI_API_KEY is not set`);
  const { ChatOpenAI } = await importOpenAI();
  console.log(`The example agents answer with ${name} of ${baseURL ? new URL(baseURL).host : 'OpenAI'}`);
  return new ChatOpenAI({ apiKey, model: name, configuration: { baseURL } });
}

interface OpenAIModule {
  ChatOpenAI: new (fields: object) => BaseChatModel;
}

async function importOpenAI(): Promise<OpenAIModule> {
  // An optional package, hidden from the compiler behind a variable.
  const name: string = '@langchain/openai';
  try {
    return (await import(name)) as OpenAIModule;
  } catch (cause) {
    // 1.5.8 is the newest version for Node 20.
    throw new Error(`EXAMPLES_MODEL is set but ${name} is not installed: npm install ${name}@1.5.8`, {
      cause,
    });
  }
}

export const chatModel = await chooseModel();
