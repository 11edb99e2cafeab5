import {
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  ParentClosePolicy,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { CanaryActivities, CanaryInput } from './contracts.ts';
import { retirement } from './retirement.ts';

const abort = defineSignal<[string?]>('abort');
/** Like `abort`, without waiting for its runs. */
const interrupt = defineSignal<[string?]>('interrupt');
const promote = defineSignal<[]>('promote');
const pause = defineSignal<[]>('pause');
const resume = defineSignal<[]>('resume');
const approve = defineSignal<[]>('approve');
const progress = defineQuery<{ step: number; paused: boolean }>('progress');

const MINUTE_MS = 60_000;

const { planCanary, judgeCanary, shareCanary, endCanary } = proxyActivities<CanaryActivities>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
});

/**
 * Takes a canary through its steps until it is promoted, aborted, or decided elsewhere. Pausing stops the steps; the
 * guard stays active.
 */
export async function watchCanary(input: CanaryInput): Promise<string> {
  const { revision_id, deployment_id } = input;
  let { step = -1, step_since = Date.now(), paused = false, approved = false } = input;
  let decided: { outcome: 'promoted' | 'aborted'; reason: string; isNow?: boolean } | undefined;
  setHandler(abort, (reason) => {
    decided ??= { outcome: 'aborted', reason: reason ?? 'aborted' };
  });
  setHandler(interrupt, (reason) => {
    decided ??= { outcome: 'aborted', reason: reason ?? 'interrupted', isNow: true };
  });
  setHandler(promote, () => {
    decided ??= { outcome: 'promoted', reason: 'promoted by hand' };
  });
  setHandler(pause, () => void (paused = true));
  setHandler(resume, () => void (paused = false));
  setHandler(approve, () => void (approved = true));
  setHandler(progress, () => ({ step, paused }));

  // Older histories lost an approval before the first step, and busy-waited on the approval of a paused canary.
  const areKept = patched('approvals are kept');
  const { steps, check_ms, drain_timeout_ms } = await planCanary({ revision_id });
  for (;;) {
    const { ended, summary, breach } = await judgeCanary({ revision_id });
    if (ended) return 'ended';
    if (breach) decided = { outcome: 'aborted', reason: breach };
    const now = steps[step];
    const isOver =
      !now || approved || (now.minutes !== null && Date.now() >= step_since + now.minutes * MINUTE_MS);
    if (!decided && !paused && isOver) {
      if (now || !areKept) approved = false;
      if (step + 1 === steps.length) decided = { outcome: 'promoted', reason: 'passed all steps' };
      else {
        step++;
        step_since = Date.now();
        await shareCanary({ revision_id, percent: steps[step]!.percent, is_first: step === 0 });
        continue;
      }
    }
    if (decided) break;
    setCurrentDetails(
      `Step ${step + 1} of ${steps.length}${paused ? ', paused' : ''}${now?.minutes === null ? ', waiting for approval' : ''}\n\n${summary}`,
    );
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof watchCanary>({
        revision_id,
        deployment_id,
        step,
        step_since,
        paused,
        approved,
      });
    const before = paused;
    await condition(
      () => decided !== undefined || (approved && !(areKept && paused)) || paused !== before,
      check_ms,
    );
  }
  const { outcome, reason, isNow } = decided;
  return CancellationScope.nonCancellable(async () => {
    const { retires } = await endCanary({ revision_id, outcome, reason });
    setCurrentDetails(`${outcome}: ${reason}`);
    if (retires)
      await startChild(retirement, {
        workflowId: `retirement/${retires}`,
        args: [{ revision_id: retires, timeout_ms: drain_timeout_ms, ...(isNow && { is_now: true }) }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        staticSummary: `revision ${retires} finishes its runs, then stops`,
      });
    return outcome;
  });
}
