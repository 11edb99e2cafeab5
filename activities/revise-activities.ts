import { setTimeout } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { ControlPlaneDeps } from '../src/control-plane/control-plane-deps.ts';
import { RevisionNotFound } from '../src/control-plane/errors.ts';
import {
  draftRevision,
  reviseDeployment,
  type RevisionDraft,
} from '../src/control-plane/revisions/revise-deployment.ts';
import { findStanding } from '../src/control-plane/revisions/revision-repository.ts';
import { isTerminal } from '../src/control-plane/revisions/revision-lifecycle.ts';
import type {
  MadeRevision,
  ReviseDeploymentInput,
  ReviseDeploymentResult,
} from '../workflows/revision-contracts.ts';
import { beating } from './beating.ts';
import { redactFailure } from './revision-activities.ts';

const POLL_MS = 500;
const WATCH_MS = 50_000;

export type ReviseActivities = ReturnType<typeof createReviseActivities>;

const workflowId = (): string => Context.current().info.workflowExecution!.workflowId;

export const createReviseActivities = (deps: ControlPlaneDeps) => ({
  draftRevision: (input: ReviseDeploymentInput): Promise<RevisionDraft> =>
    redactFailure(draftRevision(deps, input, workflowId())),

  makeRevision: ({
    input,
    draft,
  }: {
    input: ReviseDeploymentInput;
    draft: RevisionDraft;
  }): Promise<MadeRevision> => redactFailure(reviseDeployment(deps, input, draft, workflowId())),

  /** How the revision stands: when it has ended, or after a while. */
  watchRevision: ({
    revision_id,
    waits,
  }: MadeRevision & { waits: boolean }): Promise<ReviseDeploymentResult & { has_ended: boolean }> =>
    redactFailure(
      beating(async () => {
        const { cancellationSignal: signal } = Context.current();
        for (const until = Date.now() + WATCH_MS; ; await setTimeout(POLL_MS, undefined, { signal })) {
          const standing = await findStanding(deps.db, revision_id);
          if (!standing) throw new RevisionNotFound(revision_id);
          const has_ended = isTerminal(standing.status);
          if (has_ended || !waits || Date.now() > until) return { ...standing, has_ended };
        }
      }),
    ),
});
