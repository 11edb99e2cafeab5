import { setTimeout } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { ControlPlaneDeps } from '../../src/control-plane/control-plane-deps.ts';
import { RevisionNotFound } from '../../src/control-plane/errors.ts';
import { draftRevision, reviseDeployment } from '../../src/control-plane/revisions/revise-deployment.ts';
import { isTerminal } from '../../src/control-plane/records/revision-lifecycle.ts';
import { findStanding } from '../../src/control-plane/records/revision-repository.ts';
import type { ReviseActivities } from '../../workflows/deployments/contracts.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { toActivityFailure } from './activity-failure.ts';

const POLL_MS = 500;
const WATCH_MS = 50_000;

const workflowId = (): string => Context.current().info.workflowExecution!.workflowId;

export const createReviseActivities = (deps: ControlPlaneDeps): ReviseActivities => ({
  draftRevision: (input) => toActivityFailure(draftRevision(deps, input, workflowId())),

  makeRevision: ({ input, draft }) => toActivityFailure(reviseDeployment(deps, input, draft, workflowId())),

  watchRevision: ({ revision_id, waits }) =>
    toActivityFailure(
      withHeartbeat(async () => {
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
