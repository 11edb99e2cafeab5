import { createAgent } from './agent.ts';
import { ScriptedModel } from './scripted-model.ts';

// Needs no key. For a real model, `npm install @langchain/openai`, put its key in .env and write
//   const model = new ChatOpenAI({ model: 'gpt-5-mini' });
const model = new ScriptedModel();

export const graph = createAgent(model).compile();
