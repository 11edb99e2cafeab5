import type { Vectors } from '../../graph-protocol/messages.ts';
import type { GraphHosts } from '../hosts/graph-hosts.ts';
import type { IndexConfig } from './store-operation.ts';

export type Vector = readonly number[];

export interface Embedder {
  /** Stored with each vector; vectors of different models are never compared. */
  readonly model: string;
  /** Returns one vector per text. Throws the errors of the host's embeddings. */
  embedTexts(texts: readonly string[]): Promise<Vector[]>;
  embedQuery(text: string): Promise<Vector>;
}

/** Embeds with `store.index.embed`, which runs on a project host. */
export function hostEmbedder(hosts: GraphHosts, { embed, dims }: IndexConfig): Embedder {
  const ask = async (texts: readonly string[], kind: 'documents' | 'query') =>
    (await hosts.call<Vectors>('embed', { texts, kind })).vectors as Vector[];
  return {
    model: `${embed}/${dims}`,
    embedTexts: (texts) => ask(texts, 'documents'),
    embedQuery: async (text) => (await ask([text], 'query'))[0]!,
  };
}
