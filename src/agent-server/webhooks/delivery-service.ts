import type { AttemptMade } from '../../../workflows/runs/contracts.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { DeliveryNotFound, DeliveryOver } from '../errors.ts';
import type { Run } from '../records/run.ts';
import type { WebhookDelivery } from './delivery.ts';
import { attemptsOf, deliverNow } from './delivery-workflows.ts';
import { type DeliveryRow, findDelivery, makeDue } from '../records/webhook-delivery-repository.ts';

/**
 * The webhook delivery of an ended run. Undefined if the run has no webhook, is still active, or its delivery is no
 * longer known: given up over a week ago, or delivered and since dropped by Temporal.
 */
export async function readDelivery(deps: AgentDeps, run: Run): Promise<WebhookDelivery | undefined> {
  if (!run.kwargs.webhook) return undefined;
  const row = await findDelivery(deps.db, run.run_id);
  const made = await attemptsOf(deps, run.run_id);
  // It may have been delivered between the two queries.
  return row && made?.at(-1)?.state !== 'delivered' ? waiting(run, row, made) : over(run, made);
}

/** Reads the status from the row, which exists until the webhook is delivered. */
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
    // Before the first attempt, the workflow may not exist yet.
    latest: made ? latestOf(made) : attempts === 0 ? [] : null,
  };
}

/** Once the row is gone, only the workflow has the details. */
function over({ run_id, thread_id }: Run, made: AttemptMade[] | undefined): WebhookDelivery | undefined {
  const last = made?.at(-1);
  if (!made || !last) return undefined;
  // Still waiting while the workflow processes the attempt that removed the row.
  const state = last.state === 'gone' ? 'delivered' : last.state;
  const latest = latestOf(made);
  return {
    delivery_id: run_id,
    run_id,
    thread_id,
    state,
    attempts: latest.at(-1)?.attempt ?? 0,
    last_error: state === 'delivered' ? null : last.note,
    next_attempt_at: null,
    latest,
  };
}

const latestOf = (made: AttemptMade[]): NonNullable<WebhookDelivery['latest']> =>
  // Finding nothing to send doesn't count as an attempt.
  made
    .filter(({ state }) => state !== 'gone')
    .map(({ attempt, at, note }) => ({ attempt, at, answer: note }));

/**
 * Sends a pending webhook immediately, or retries one that was given up. Throws DeliveryNotFound, Unavailable, and
 * DeliveryOver if it was already delivered.
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
