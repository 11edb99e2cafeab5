import type { Logger } from 'pino';
import { PublicError } from '../../platform/errors.ts';
import { InvalidProject } from '../../graph-protocol/invalid-project.ts';
import type { Project } from '../project/project.ts';
import { openAiEmbeddings } from './openai-embeddings.ts';
import { EmbeddingUnavailable, WrongEmbedding } from './embedding-errors.ts';

/** The project's `store.index`: which fields are embedded, and how. */
export interface IndexConfig {
  dims: number;
  /** `path:export` in the project, or `provider:model`. */
  embed: string;
  fields?: string[] | null;
}

export type Vector = readonly number[];

/** Computes vectors; the interface of LangChain's `Embeddings`. */
export interface Embeddings {
  embedDocuments(texts: string[]): Promise<Vector[]>;
  embedQuery(text: string): Promise<Vector>;
}

export interface Embedder {
  /** Stored with each vector, because vectors of different models must not be compared. */
  readonly model: string;
  /** Returns one vector per text. Throws EmbeddingUnavailable, EmbeddingRefused, WrongEmbedding. */
  embedTexts(texts: readonly string[]): Promise<Vector[]>;
  embedQuery(text: string): Promise<Vector>;
}

export interface EmbedderOptions {
  project: Pick<Project, 'import'>;
  env: Record<string, string | undefined>;
  log: Logger;
}

// Well below providers' limits per request.
const BATCH = 256;

/** Creates the embedder that `store.index.embed` names. Throws InvalidProject. */
export async function createEmbedder(index: IndexConfig, options: EmbedderOptions): Promise<Embedder> {
  const { dims, embed } = index;
  const embeddings = await findEmbeddings(index, options);
  return {
    model: `${embed}/${dims}`,
    async embedTexts(texts) {
      const unique = [...new Set(texts)];
      const vectors = new Map<string, Vector>();
      for (let start = 0; start < unique.length; start += BATCH) {
        const batch = unique.slice(start, start + BATCH);
        const found = checked(index, batch.length, await attempt(() => embeddings.embedDocuments(batch)));
        batch.forEach((text, i) => vectors.set(text, found[i]!));
      }
      return texts.map((text) => vectors.get(text)!);
    },
    async embedQuery(text) {
      return checked(index, 1, [await attempt(() => embeddings.embedQuery(text))])[0]!;
    },
  };
}

async function findEmbeddings({ embed, dims }: IndexConfig, options: EmbedderOptions): Promise<Embeddings> {
  const { project, env, log } = options;
  const [, provider, model] = /^([\w-]+):(.+)$/.exec(embed) ?? [];
  if (provider === 'openai' && model) return openAiEmbeddings({ model, dims, env, log });
  // A path has a dot or a slash.
  if (provider) {
    throw new InvalidProject(
      `store.index.embed: no embedding provider '${provider}'; write 'openai:model', whose endpoint OPENAI_BASE_URL ` +
        `may be any compatible one, or 'path:export' of a function of yours`,
    );
  }
  const found = asEmbeddings(await project.import('store.index.embed', embed));
  if (found) return found;
  throw new InvalidProject(
    `store.index.embed: ${embed} is neither a function from texts to vectors nor has embedDocuments and embedQuery`,
  );
}

function asEmbeddings(value: unknown): Embeddings | undefined {
  const { embedDocuments, embedQuery } = (value ?? {}) as Partial<Embeddings>;
  if (typeof embedDocuments === 'function' && typeof embedQuery === 'function') return value as Embeddings;
  if (typeof value !== 'function' || /^class\b/.test(String(value))) return undefined;
  const embed = value as (texts: string[]) => Promise<Vector[]>;
  return { embedDocuments: (texts) => embed(texts), embedQuery: async (text) => (await embed([text]))[0]! };
}

async function attempt<T>(embed: () => Promise<T>): Promise<T> {
  try {
    return await embed();
  } catch (error) {
    throw error instanceof PublicError ? error : new EmbeddingUnavailable(error);
  }
}

/** Checks for one vector of `dims` finite numbers per text; returns them as plain arrays. */
function checked({ dims }: IndexConfig, count: number, vectors: readonly Vector[]): Vector[] {
  if (!Array.isArray(vectors) || vectors.length !== count) {
    const got = Array.isArray(vectors) ? vectors.length : typeof vectors;
    throw new WrongEmbedding(`store.index.embed returned ${got} vectors for ${count} texts`);
  }
  return vectors.map((vector: unknown) => {
    const components =
      ArrayBuffer.isView(vector) || Array.isArray(vector) ? Array.from(vector as Vector) : undefined;
    if (!components?.every((component) => Number.isFinite(component))) {
      throw new WrongEmbedding('store.index.embed returned something that is not a vector of finite numbers');
    }
    if (components.length !== dims) {
      throw new WrongEmbedding(
        `store.index.embed makes vectors of ${components.length} dimensions; store.index.dims is ${dims}`,
      );
    }
    return components;
  });
}
