import type { Handlers } from '../graph-protocol/channel.ts';
import type { Exchange } from '../graph-protocol/exchange.ts';
import type { RunnableConfig, User, Vectors, Xray } from '../graph-protocol/messages.ts';
import type { StoreOperation } from '../graph-protocol/store-messages.ts';
import { answerHttp } from './app/http-call.ts';
import { authenticate, authorize } from './auth/auth-calls.ts';
import { applyEncryption, encryptionContext } from './encryption-calls.ts';
import { drawGraph, subgraphSchemas } from './graphs/graph-drawing.ts';
import type { HostDeps } from './host-deps.ts';
import { Cancelled, Refused } from './host-error.ts';
import { actingAs } from './in-process/acting.ts';
import { executeRun } from './runs/run.ts';
import { getHistory, getState, summarizeState, updateState } from './state/state-calls.ts';
import { runOnStore } from './store/project-store.ts';
import { bundleUi } from './ui-bundle.ts';

type Call<Params> = (deps: HostDeps, params: Params, exchange: Exchange) => unknown;

interface DrawRequest {
  graph_id: string;
  xray: Xray;
  config: RunnableConfig;
}

interface SubgraphsRequest {
  graph_id: string;
  namespace?: string;
  recurse: boolean;
  config: RunnableConfig;
}

const drawing: Call<DrawRequest> = ({ project }, { graph_id, xray, config }) =>
  drawGraph(project.require(graph_id), xray, config);

const subgraphs: Call<SubgraphsRequest> = ({ project }, { graph_id, ...options }) =>
  subgraphSchemas(project.require(graph_id), options);

const embedding: Call<{ texts: string[]; kind: 'documents' | 'query' }> = async (
  { embedder },
  { texts, kind },
): Promise<Vectors> => ({
  vectors: kind === 'query' ? [await embedder!.embedQuery(texts[0]!)] : await embedder!.embedTexts(texts),
});

const schemas: Call<{ graph_id: string }> = ({ project }, { graph_id }) =>
  project.require(graph_id).describe();

const storeBatch: Call<{ operations: StoreOperation[] }> = ({ store }, { operations }) =>
  runOnStore(store.own!, operations);

const matching: Call<{ method: string; path: string }> = ({ app }, { method, path }) => ({
  owns: app!.owns(method, path),
  watches: app!.watches(method, path),
});

const uiFiles: Call<object> = async ({ project }) => {
  const bundles = await bundleUi(project.dir, project.config);
  const files = [...bundles].map(([name, bundle]) => {
    const encoded = [...bundle].map(
      ([file, bytes]) => [file, Buffer.from(bytes).toString('base64')] as const,
    );
    return [name, Object.fromEntries(encoded)] as const;
  });
  return Object.fromEntries(files);
};

const CALLS: Record<string, Call<never>> = {
  run: executeRun,
  'state.summary': summarizeState,
  'state.get': getState,
  'state.history': getHistory,
  'state.update': updateState,
  'graph.draw': drawing,
  'graph.schemas': schemas,
  'graph.subgraphs': subgraphs,
  'auth.authenticate': authenticate,
  'auth.authorize': authorize,
  'encryption.apply': applyEncryption,
  'encryption.context': encryptionContext,
  embed: embedding,
  'store.batch': storeBatch,
  'http.match': matching,
  http: answerHttp,
  'ui.bundle': uiFiles,
};

/** The calls the server may make once the project is loaded. The project's code runs on behalf of the call. */
export function createHandlers(loaded: () => HostDeps): Handlers {
  const entries = Object.entries(CALLS).map(([method, call]) => {
    const handle = async (params: { user?: User }, exchange: Exchange) => {
      const deps = loaded();
      try {
        return await actingAs({ user: params.user, scope: exchange.id }, () =>
          call(deps, params as never, exchange),
        );
      } catch (error) {
        if (!(error instanceof Refused || error instanceof Cancelled))
          deps.log.warn({ err: error, run_id: (params as { run_id?: string }).run_id }, `${method} failed`);
        throw error;
      }
    };
    return [method, handle] as const;
  });
  return Object.fromEntries(entries);
}
