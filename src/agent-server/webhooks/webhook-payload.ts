import type { EndedRun } from '../records/webhook-delivery-repository.ts';

/** Body of a webhook (contract §12): the run's fields and outcome, limited to `allowed` if the project sets it. */
export function webhookBody(run: EndedRun, sentAt: Date, allowed: string[] | undefined): string {
  const { error, ...fields } = run;
  const payload = {
    ...fields,
    kwargs: withoutAuth(run.kwargs),
    webhook_sent_at: sentAt.toISOString().replace('Z', '000+00:00'),
    ...(error && { error }),
  };
  const shown = Object.entries(payload).filter(([field]) => allowed?.includes(field) ?? true);
  return JSON.stringify(Object.fromEntries(shown));
}

/** Removes the caller's authentication data, which the receiver must not see. */
function withoutAuth(kwargs: EndedRun['kwargs']): EndedRun['kwargs'] {
  const kept = Object.entries(kwargs.config.configurable).filter(
    ([key]) => !key.startsWith('langgraph_auth_'),
  );
  return { ...kwargs, config: { ...kwargs.config, configurable: Object.fromEntries(kept) } };
}
