import { tool } from '@langchain/core/tools';
import { MessagesValue, START, StateGraph, StateSchema } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { chatModel as model } from './chat-model.ts';

const getWeather = tool(({ city }) => `It is sunny in ${city}, 21 degrees.`, {
  name: 'get_weather',
  description: 'The weather in a city, now',
  schema: z.object({ city: z.string() }),
});

const add = tool(({ a, b }) => `${a} + ${b} = ${a + b}`, {
  name: 'add',
  description: 'Adds two numbers',
  schema: z.object({ a: z.number(), b: z.number() }),
});

const tools = [getWeather, add];
const modelWithTools = model.bindTools?.(tools) ?? model;

const State = new StateSchema({ messages: MessagesValue });

export const graph = new StateGraph(State)
  .addNode('model', async ({ messages }, config) => ({
    messages: [await modelWithTools.invoke(messages, config)],
  }))
  .addNode('tools', new ToolNode(tools))
  .addEdge(START, 'model')
  .addConditionalEdges('model', toolsCondition)
  .addEdge('tools', 'model')
  .compile();
