/**
 * An approval or rejection in the expected form: decisions for the actions of LangChain's middleware, otherwise a
 * boolean.
 */
export function answerOf(question: unknown, isApproved: boolean): unknown {
  const actions = (question as { action_requests?: unknown } | null)?.action_requests;
  if (!Array.isArray(actions)) return isApproved;
  return { decisions: actions.map(() => ({ type: isApproved ? 'approve' : 'reject' })) };
}
