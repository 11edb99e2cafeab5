import { type GraphSource, readSourceSchemas, type SourceSchemas } from './source-schemas.ts';

/** The TypeScript sources of a project's graphs: read together, once, when somebody first asks for a schema. */
export class ProjectSources {
  readonly #sources: GraphSource[] = [];
  readonly #warn: (message: string) => void;
  #read: Promise<Map<string, SourceSchemas>> | undefined;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /** Returns what reads the schemas of the source: no schemas when it cannot be read. */
  add(source: GraphSource): () => Promise<SourceSchemas> {
    this.#sources.push(source);
    return async () => {
      // The code that runs was loaded at start, so a file that changes later changes no schema.
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
