import type { PlatformApi } from './platform-api.ts';
import type { LogLine } from './records.ts';

export type Phase = 'build' | 'deploy';

const PAGE = 500;

/** Reads the logs of a revision incrementally. Ids are stable, so no line is read twice. */
export class RevisionLogs {
  readonly #api: PlatformApi;
  readonly #path: string;
  #offset: string | null = null;

  constructor(api: PlatformApi, of: { deployment_id: string; revision_id: string }, phase: Phase) {
    this.#api = api;
    this.#path = `/v1/projects/${of.deployment_id}/revisions/${of.revision_id}/${phase}_logs`;
  }

  /** Lines that were not read yet. */
  async *read(): AsyncGenerator<LogLine> {
    for (;;) {
      const { logs, next_offset } = await this.#page({ order: 'asc', limit: PAGE, offset: this.#offset });
      yield* logs;
      this.#offset = next_offset ?? this.#offset;
      if (logs.length < PAGE) return;
    }
  }

  /** The newest lines, oldest first. */
  async last(limit: number): Promise<LogLine[]> {
    return (await this.#page({ order: 'desc', limit })).logs.toReversed();
  }

  #page(query: object): Promise<{ logs: LogLine[]; next_offset: string | null }> {
    return this.#api.post(this.#path, query);
  }
}
