import { type Language, languageOf } from '../../graph-protocol/language.ts';
import type { LoadRequest } from '../../graph-protocol/messages.ts';
import type { ProjectConfig } from '../../graph-protocol/project-schema.ts';

type Part = 'auth' | 'http' | 'encryption' | 'embed' | 'store' | 'ui';

/** Maps each part of a project to the language that runs it. */
export class ProjectLanguages {
  readonly #config: ProjectConfig;
  readonly #graphs: ReadonlyMap<string, Language>;
  readonly #parts: ReadonlyMap<Part, Language>;

  constructor(config: ProjectConfig) {
    this.#config = config;
    const graphs = Object.entries(config.graphs).map(
      ([id, entry]) => [id, languageOf(typeof entry === 'string' ? entry : entry.path)] as const,
    );
    this.#graphs = new Map(graphs);
    this.#parts = new Map(this.#findParts());
  }

  /** All languages that need a host. */
  get all(): Language[] {
    return [...new Set([...this.#graphs.values(), ...this.#parts.values()])];
  }

  /** The language whose hosts answer a call. */
  of(method: string, { graph_id }: { graph_id?: unknown }): Language {
    if (typeof graph_id === 'string') return this.#graphs.get(graph_id) ?? this.#first;
    const part = method === 'embed' ? method : method.split('.')[0];
    return this.#parts.get(part as Part) ?? this.#first;
  }

  /** The part of the project that one language's hosts load. */
  partOf({ config, ...request }: LoadRequest, language: Language): LoadRequest {
    const { graphs, auth, encryption, http = {}, store = {}, ...rest } = config;
    const isTheirs = (part: Part) => this.#parts.get(part) === language;
    const { app, ...http_ } = http;
    const { path, index, ...store_ } = store;
    return {
      ...request,
      config: {
        ...rest,
        graphs: Object.fromEntries(
          Object.entries(graphs).filter(([id]) => this.#graphs.get(id) === language),
        ),
        http: { ...http_, ...(app !== undefined && isTheirs('http') && { app }) },
        store: {
          ...store_,
          ...(path !== undefined && isTheirs('store') && { path }),
          ...(index && isTheirs('embed') && { index }),
        },
        ...(auth && isTheirs('auth') && { auth }),
        ...(encryption && isTheirs('encryption') && { encryption }),
      },
    };
  }

  get #first(): Language {
    return [...this.#graphs.values()][0]!;
  }

  *#findParts(): Generator<[Part, Language]> {
    const { auth, encryption, http, store, ui } = this.#config;
    if (auth?.path !== undefined) yield ['auth', languageOf(auth.path)];
    if (encryption) yield ['encryption', languageOf(encryption.path)];
    if (http?.app !== undefined) yield ['http', languageOf(http.app)];
    if (store?.path !== undefined) yield ['store', languageOf(store.path)];
    if (store?.index) {
      const { embed } = store.index;
      // Hosts of every language support `openai:model`.
      yield ['embed', /\.\w+:|\//.test(embed) || /\.py(?::|$)/.test(embed) ? languageOf(embed) : this.#first];
    }
    // Components are bundled with a JavaScript tool.
    if (ui && Object.keys(ui).length > 0) yield ['ui', 'javascript'];
  }
}
