import { setCurrentDetails } from '@temporalio/workflow';

/** A revision's timeline in the Temporal UI: each step, its time and duration. */
export class RevisionProgress {
  readonly #steps: { step: string; at: number }[] = [];

  note(step: string): void {
    this.#steps.push({ step, at: Date.now() });
    const rows = this.#steps.map(({ step, at }, index) => {
      const until = this.#steps[index + 1]?.at;
      const took = until === undefined ? '' : `${((until - at) / 1000).toFixed(1)} s`;
      return `| ${new Date(at).toISOString()} | ${step.replaceAll('|', '\\|')} | ${took} |`;
    });
    setCurrentDetails(['| At | Step | Took |', '|---|---|---|', ...rows].join('\n'));
  }
}
