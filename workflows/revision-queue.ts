import type { SubmittedRevision } from './revision-contracts.ts';

/**
 * The revisions of a deployment that wait for their turn (contract §3.3): the newest goes next and those before it are
 * skipped, but for pinned ones, which go first in the order they came.
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

  /** Returns false when the revision is not waiting here. */
  remove(revisionId: string): boolean {
    const before = this.#queued.length;
    this.#queued = this.#queued.filter(({ revision_id }) => revision_id !== revisionId);
    return this.#queued.length < before;
  }

  /** The revision whose turn it is, and those that never get one. */
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
