import type { SubmittedRevision } from './contracts.ts';

/**
 * Waiting revisions of a deployment (contract §3.3): pinned ones go first, in order; otherwise the newest goes next and
 * older ones are skipped.
 */
export class RevisionQueue {
  #queued: SubmittedRevision[];

  constructor(queued: SubmittedRevision[] = []) {
    this.#queued = [...queued];
  }

  get queued(): readonly SubmittedRevision[] {
    return this.#queued;
  }

  has(revisionId: string): boolean {
    return this.#queued.some(({ revision_id }) => revision_id === revisionId);
  }

  add(revision: SubmittedRevision): void {
    this.#queued.push(revision);
  }

  /** Returns false when the revision isn't waiting. */
  remove(revisionId: string): boolean {
    const before = this.#queued.length;
    this.#queued = this.#queued.filter(({ revision_id }) => revision_id !== revisionId);
    return this.#queued.length < before;
  }

  /** The next revision, and those it supersedes. */
  next(): { turn: SubmittedRevision; skipped: SubmittedRevision[] } | undefined {
    const pinned = this.#queued.findIndex((revision) => revision.pinned);
    if (pinned >= 0) {
      const skipped = this.#queued.slice(0, pinned);
      const turn = this.#queued[pinned]!;
      this.#queued = this.#queued.slice(pinned + 1);
      return { turn, skipped };
    }
    const turn = this.#queued.at(-1);
    const skipped = this.#queued.slice(0, -1);
    this.#queued = [];
    return turn && { turn, skipped };
  }
}
