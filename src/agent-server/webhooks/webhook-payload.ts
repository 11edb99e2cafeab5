import type { EndedRun } from './webhook-delivery-repository.ts';

/** Body of a webhook (contract §12): the run's fields and how it ended, limited to `allowed` where the project does. */
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

/** What the project's authentication knows of the caller is not for the receiver. */
function withoutAuth(kwargs: EndedRun['kwargs']): EndedRun['kwargs'] {
  const kept = Object.entries(kwargs.config.configurable).filter(
    ([key]) => !key.startsWith('langgraph_auth_'),
  );
  return { ...kwargs, config: { ...kwargs.config, configurable: Object.fromEntries(kept) } };
}
