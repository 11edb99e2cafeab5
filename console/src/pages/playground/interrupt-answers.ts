/** Yes or no, in the form that the question wants: a decision for each action of LangChain's middleware, or a boolean. */
export function answerOf(question: unknown, isApproved: boolean): unknown {
  const actions = (question as { action_requests?: unknown } | null)?.action_requests;
  if (!Array.isArray(actions)) return isApproved;
  return { decisions: actions.map(() => ({ type: isApproved ? 'approve' : 'reject' })) };
}
