/** A graph with two interrupts at once. */
export const TWO_QUESTIONS: Record<string, string> = {
  'src/two-questions.ts': `import { Annotation, interrupt, START, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ signed: Annotation<unknown>(), budget: Annotation<unknown>() });
export const graph = new StateGraph(State)
  .addNode('ask_legal', () => ({ signed: interrupt('May it be signed?') }))
  .addNode('ask_budget', () => ({ budget: interrupt({ asks: 'What may it cost?' }) }))
  .addEdge(START, 'ask_legal')
  .addEdge(START, 'ask_budget')
  .compile();
`,
};
