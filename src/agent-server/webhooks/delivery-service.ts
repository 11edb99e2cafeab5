import type { AttemptMade } from '../../../workflows/runs/contracts.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { DeliveryNotFound, DeliveryOver } from '../errors.ts';
import type { Run } from '../runs/run.ts';
import type { WebhookDelivery } from './delivery.ts';
import { attemptsOf, deliverNow } from './delivery-workflows.ts';
import { type DeliveryRow, findDelivery, makeDue } from './webhook-delivery-repository.ts';

/**
 * The delivery of an ended run's webhook. Undefined where the run has none or is not over, and where nothing is known
 * of it any more: it was given up a week ago, or Temporal has forgotten that it was delivered.
 */
export async function readDelivery(deps: AgentDeps, run: Run): Promise<WebhookDelivery | undefined> {
  if (!run.kwargs.webhook) return undefined;
  const row = await findDelivery(deps.db, run.run_id);
  const made = await attemptsOf(deps, run.run_id);
  // Between the two questions it may have gone out.
  return row && made?.at(-1)?.state !== 'delivered' ? waiting(run, row, made) : over(run, made);
}

/** Told by the row that is kept until the webhook is out. */
function waiting(
  { run_id, thread_id }: Run,
  row: DeliveryRow,
  made: AttemptMade[] | undefined,
): WebhookDelivery {
  const { status: state, attempts, failure, due_at } = row;
  return {
    delivery_id: run_id,
    run_id,
    thread_id,
    state,
    attempts,
    last_error: failure,
    next_attempt_at: state === 'waiting' ? due_at : null,
    // Before its first attempt there may be no workflow yet.
    latest: made ? latestOf(made) : attempts === 0 ? [] : null,
  };
}

/** Without a row only the workflow remembers. */
function over({ run_id, thread_id }: Run, made: AttemptMade[] | undefined): WebhookDelivery | undefined {
  const last = made?.at(-1);
  if (!made || !last) return undefined;
  const state = last.state === 'given_up' ? 'given_up' : 'delivered';
  const latest = latestOf(made);
  return {
    delivery_id: run_id,
    run_id,
    thread_id,
    state,
    attempts: latest.at(-1)?.attempt ?? 0,
    last_error: state === 'given_up' ? last.note : null,
    next_attempt_at: null,
    latest,
  };
}

const latestOf = (made: AttemptMade[]): NonNullable<WebhookDelivery['latest']> =>
  // One that found nothing to send is no attempt.
  made
    .filter(({ state }) => state !== 'gone')
    .map(({ attempt, at, note }) => ({ attempt, at, answer: note }));

/**
 * Has a webhook that waits sent at once, and one that was given up anew. Throws DeliveryNotFound, DeliveryOver for
 * one that is out, and Unavailable.
 */
export async function retryDelivery(deps: AgentDeps, run: Run, deliveryId: string): Promise<WebhookDelivery> {
  if (deliveryId !== run.run_id || !run.kwargs.webhook) throw new DeliveryNotFound(deliveryId);
  if (!(await makeDue(deps.db, run.run_id))) {
    if (await readDelivery(deps, run)) throw new DeliveryOver(deliveryId);
    throw new DeliveryNotFound(deliveryId);
  }
  await deliverNow(deps, run.run_id);
  const delivery = await readDelivery(deps, run);
  if (!delivery) throw new DeliveryNotFound(deliveryId);
  return delivery;
}
