import { type GraphSource, readSourceSchemas, type SourceSchemas } from './source-schemas.ts';

/** The TypeScript sources of a project's graphs. They are read together, when a schema is first requested. */
export class ProjectSources {
  readonly #sources: GraphSource[] = [];
  readonly #warn: (message: string) => void;
  #read: Promise<Map<string, SourceSchemas>> | undefined;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /** Returns a function that reads the source's schemas; it returns none if the source can't be read. */
  add(source: GraphSource): () => Promise<SourceSchemas> {
    this.#sources.push(source);
    return async () => {
      // Read once: the running code was loaded at the start, so later changes to files don't apply.
      this.#read ??= this.#readAll();
      return (await this.#read).get(source.graph_id) ?? {};
    };
  }

  async #readAll(): Promise<Map<string, SourceSchemas>> {
    const found = await readSourceSchemas(this.#sources).catch(() => new Map<string, SourceSchemas>());
    const missing = this.#sources.map(({ graph_id }) => graph_id).filter((id) => !found.has(id));
    if (missing.length > 0)
      this.#warn(`types of ${missing.join(', ')} could not be read from source; schemas show open channels`);
    return found;
  }
}
