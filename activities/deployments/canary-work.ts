import type { CanaryCourse, CanaryEnd, CanaryVerdict } from '../../workflows/deployments/contracts.ts';
import { inTransaction, type Queryable } from '../../src/platform/db/database.ts';
import { recordChange } from '../../src/control-plane/audit/audit-repository.ts';
import type { ControlPlaneDeps } from '../../src/control-plane/control-plane-deps.ts';
import { findServing } from '../../src/control-plane/records/deployment-repository.ts';
import { BadRequest } from '../../src/platform/errors.ts';
import { RevisionNotFound, StepRefused } from '../../src/control-plane/errors.ts';
import { addRuns, type RevisionFigures } from '../../src/control-plane/gateway/traffic-figures.ts';
import { findRevisionRoute } from '../../src/control-plane/gateway/route-repository.ts';
import { listTraffic, setShare } from '../../src/control-plane/gateway/traffic-repository.ts';
import {
  findReplaced,
  findRevision,
  noteStep,
  stepRevision,
} from '../../src/control-plane/records/revision-repository.ts';
import { takeOver } from '../../src/control-plane/revisions/take-over.ts';
import type { CanaryRow } from '../../src/control-plane/records/canary.ts';
import { canaryFigures, guardOf } from '../../src/control-plane/canaries/canary-figures.ts';
import {
  closeCanary,
  findCanary,
  findSetting,
  holdCanary,
  noteSeen,
  openCanary,
} from '../../src/control-plane/records/canary-repository.ts';
import { breachOf, figuresTable } from '../../src/control-plane/canaries/canary-verdict.ts';
import { addedSince, readRunCounters } from '../../src/control-plane/canaries/run-counters.ts';
import { drainMsOf } from '../../src/control-plane/scaling/agent-limits.ts';

type Deps = Pick<ControlPlaneDeps, 'config' | 'db' | 'box'>;

const OVER: CanaryVerdict = { ended: true, summary: '', breach: null };
/** Actor of automatic promotions and aborts. */
const ITSELF = 'canary';

/** The side effects of a canary's workflow. Every step is idempotent. */
export class CanaryWork {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Marks the revision deployed without making it active. False when no other revision is active. */
  async begin(id: string): Promise<boolean> {
    return inTransaction(this.#deps.db, async (tx) => {
      const revision = await findRevision(tx, id);
      if (!revision?.canary) throw new RevisionNotFound(id);
      const { deployment_id, canary: plan } = revision;
      const serving = await findServing(tx, deployment_id);
      if (serving === null || serving === id) return false;
      if (revision.status !== 'DEPLOYING' && (await findCanary(tx, id))?.state !== 'watched')
        throw new StepRefused(id, revision.status, 'run as a canary');
      await openCanary(tx, { revision_id: id, deployment_id, plan });
      await stepRevision(tx, id, 'DEPLOYED', 'running as a canary');
      return true;
    });
  }

  async plan(id: string): Promise<CanaryCourse> {
    const { db, config } = this.#deps;
    const { plan } = (await findCanary(db, id)) ?? {};
    return {
      steps: plan?.steps ?? [],
      check_ms: config.SLIPWAY_CANARY_CHECK_SECONDS * 1000,
      drain_timeout_ms: drainMsOf(config),
    };
  }

  async judge(id: string): Promise<CanaryVerdict> {
    const { db, config } = this.#deps;
    const canary = await findCanary(db, id);
    if (canary?.state !== 'watched') return OVER;
    const setting = await findSetting(db, canary);
    if (!setting?.serving || setting.serving === id || setting.is_going) return OVER;
    await this.#countRuns(canary, setting.serving);
    const [mine, usual] = (await canaryFigures(this.#deps, canary, setting.serving)) as [
      RevisionFigures,
      RevisionFigures,
    ];
    const breach = setting.is_newer
      ? `revision ${setting.serving}, a newer one, took over`
      : breachOf(guardOf(config, canary), mine, usual);
    return { ended: false, summary: figuresTable(mine, usual), breach };
  }

  /** Takes at most what other shares leave. A share set by hand before the first step stays until the second. */
  async share(id: string, percent: number, isFirst: boolean): Promise<void> {
    await inTransaction(this.#deps.db, async (tx) => {
      const canary = await holdCanary(tx, id);
      if (canary?.state !== 'watched') return;
      if (!canary.plan.steps.some((step) => step.percent === percent))
        throw new BadRequest(`${percent} % is not a step of the canary ${id}`);
      const { deployment_id } = canary;
      if (isFirst && canary.by_hand) {
        const shares = await listTraffic(tx, deployment_id);
        const set = shares.find(({ revision_id }) => revision_id === id)?.percent ?? 0;
        return noteStep(tx, id, `a canary with ${set} % of the threads, set by hand`);
      }
      const others = await setShare(tx, deployment_id, { revision_id: id, percent: 0 });
      const share = Math.min(percent, 100 - others);
      await setShare(tx, deployment_id, { revision_id: id, percent: share });
      await noteStep(tx, id, `a canary with ${share} % of the threads`);
    });
  }

  async end(id: string, outcome: 'promoted' | 'aborted', reason: string): Promise<CanaryEnd> {
    const { db, config } = this.#deps;
    return inTransaction(db, async (tx) => {
      const canary = await holdCanary(tx, id);
      const setting = canary && (await findSetting(tx, canary));
      if (!canary || !setting) return { retires: null };
      const { deployment_id } = canary;
      const { serving } = setting;
      // An earlier attempt ended it.
      if (canary.state !== 'watched') {
        if (canary.state === 'aborted') return { retires: id };
        return { retires: serving === id ? await findReplaced(tx, deployment_id, id) : null };
      }
      if (setting.is_going) return { retires: null };
      await setShare(tx, deployment_id, { revision_id: id, percent: 0 });
      const retires =
        outcome === 'promoted' ? await takeOver(tx, config, deployment_id, id, { isTried: true }) : id;
      await closeCanary(tx, id, outcome, reason);
      await noteStep(tx, id, `${outcome}: ${reason}`);
      await this.#record(tx, setting.tenant_id, id, outcome, reason);
      return { retires };
    });
  }

  async #record(
    tx: Queryable,
    tenant_id: string,
    id: string,
    outcome: 'promoted' | 'aborted',
    reason: string,
  ): Promise<void> {
    const action = outcome === 'aborted' ? 'abortCanary' : 'promoteCanary';
    const target = `revision/${id}`;
    await recordChange(tx, { tenant_id, name: ITSELF }, { action, target, detail: { reason } });
  }

  /** Agents report totals since their start; records the difference since the last check, once. */
  async #countRuns({ revision_id }: CanaryRow, serving: string): Promise<void> {
    const { db, box } = this.#deps;
    const ids = [revision_id, serving];
    const routes = await Promise.all(ids.map((id) => findRevisionRoute(db, box, id)));
    const read = await Promise.all(routes.map((route) => readRunCounters(route?.[0])));
    await inTransaction(db, async (tx) => {
      const canary = await findCanary(tx, revision_id, { lock: true });
      if (canary?.state !== 'watched') return;
      const seen = { ...canary.seen };
      for (const [place, id] of ids.entries()) {
        for (const [url, counters] of Object.entries(read[place]!)) {
          const key = `${id} ${url}`;
          const before = seen[key];
          seen[key] = counters;
          // Runs of the active revision before the canary began don't count.
          if (!before && id === serving) continue;
          const added = addedSince(counters, before);
          if (added.runs > 0) await addRuns(tx, id, added);
        }
      }
      await noteSeen(tx, revision_id, seen);
    });
  }
}
