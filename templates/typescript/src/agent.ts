import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { MessagesValue, START, StateGraph, StateSchema } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { tools } from './tools.ts';

const State = new StateSchema({ messages: MessagesValue });

/** The agent: the model answers or calls tools, until it has an answer. */
export function createAgent(model: BaseChatModel) {
  const modelWithTools = model.bindTools?.(tools) ?? model;
  return new StateGraph(State)
    .addNode('model', async ({ messages }, config) => ({
      messages: [await modelWithTools.invoke(messages, config)],
    }))
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'model')
    .addConditionalEdges('model', toolsCondition)
    .addEdge('tools', 'model');
}
