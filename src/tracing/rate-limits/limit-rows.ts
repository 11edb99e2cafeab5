/** How paths are compared: `prefix` by whole segments, `run` with `/runs/{uuid}`. */
export type Comparison = 'exact' | 'run' | 'prefix' | 'suffix' | 'contains' | 'method';

export interface Match {
  /** Undefined matches every method. */
  method?: string;
  compare: Comparison;
  path?: string;
}

/** `key`: x-api-key header; `user`: x-user-id and address; `ip`: address only. */
export type IdentityKind = 'key' | 'user' | 'ip';

export interface LimitRow {
  id: string;
  /** Alternatives. An empty list matches what no other row does. */
  matches: Match[];
  identity: IdentityKind;
  /** `count/seconds`; a pair if the US and EU regions differ. */
  limit: string | { us: string; eu: string };
  category: string;
}

type Row = [LimitRow['id'], IdentityKind, LimitRow['limit'], LimitRow['category'], ...Match[]];

const of = (compare: Comparison, path: string, method?: string): Match => ({
  compare,
  path,
  ...(method && { method }),
});
const exact = (path: string, method?: string): Match => of('exact', path, method);
const prefix = (path: string, method?: string): Match => of('prefix', path, method);

const HIGH = 'High throughput';
const COMMITS = { us: '10000/60', eu: '2000/60' };
const CHARTS = of('contains', '/charts', 'POST');
const SUBMIT = [of('suffix', '/v1/metadata/submit'), exact('/metadata/submit')];
const DELETION = [prefix('/sessions', 'DELETE'), of('suffix', '/trigger')];
const RUN: Match = { compare: 'run', method: 'GET' };

const OTEL = ['traces', 'logs', 'metrics'].map((signal) => exact(`/otel/v1/${signal}`, 'POST'));

// The seed's table in the same order. Paths are canonical (canonical-path.ts).
const TABLE: Row[] = [
  ['open', 'ip', '2000/10', HIGH, { compare: 'method', method: 'OPTIONS' }, exact('/info'), ...SUBMIT],
  ['auth-key', 'key', '2000/10', HIGH, exact('/auth')],
  ['auth-user', 'user', '2000/10', HIGH, exact('/auth')],
  ['beacon', 'ip', '2000/10', HIGH, exact('/v1/beacon'), exact('/beacon')],
  ['repos-key', 'key', '100/60', 'Repository', prefix('/repos')],
  ['repos-user', 'user', '100/60', 'Repository', prefix('/repos')],
  ['batch', 'key', '2000/10', HIGH, exact('/runs/batch', 'POST')],
  ['otel', 'key', '2000/10', 'Run ingest', ...OTEL],
  ['charts-key', 'key', '750/600', 'Charts', CHARTS],
  ['charts-user', 'user', '750/600', 'Charts', CHARTS],
  ['multipart', 'key', '6000/10', 'Multipart ingest', exact('/runs/multipart', 'POST')],
  ['query-key', 'key', '15/10', 'Run query (API)', exact('/runs/query', 'POST')],
  ['query-user', 'user', '300/10', 'Run query (User)', exact('/runs/query', 'POST')],
  ['generate-key', 'key', '30/3600', 'Generation', exact('/generate')],
  ['generate-user', 'user', '30/3600', 'Generation', exact('/generate')],
  ['commits-key', 'key', COMMITS, 'Commits', prefix('/commits')],
  ['commits-user', 'user', COMMITS, 'Commits', prefix('/commits')],
  ['deletion-key', 'key', '10/60', 'Deletion', ...DELETION],
  ['deletion-user', 'user', '30/60', 'Deletion', ...DELETION],
  ['runs', 'key', '2000/10', 'Run ingest', exact('/runs', 'POST')],
  ['runs-patch', 'key', '2000/10', 'Run ingest', of('contains', '/runs', 'PATCH')],
  ['feedback', 'key', '2000/10', HIGH, exact('/feedback', 'POST')],
  ['run', 'key', '30/60', 'Run lookup', RUN],
  ['examples', 'key', '5000/60', 'Examples', of('contains', '/examples', 'GET')],
  ['key', 'key', '1000/10', 'Default (API key)'],
  ['user', 'user', '1000/10', 'Default (User)'],
  ['download', 'ip', '5000/60', 'Public download', prefix('/public/download')],
  ['stats', 'key', { us: '1/10', eu: '20/10' }, 'Stats', exact('/runs/stats')],
  ['public', 'ip', '100/60', 'Public (catch-all)'],
];

/** The rate-limit table. */
export const LIMIT_ROWS: readonly LimitRow[] = TABLE.map(([id, identity, limit, category, ...matches]) => ({
  id,
  identity,
  limit,
  category,
  matches,
}));

/** Rows for ingest. Clients retry for seconds only and lose runs refused for longer (contract §1.7). */
export const INGEST_ROWS: ReadonlySet<string> = new Set(['batch', 'otel', 'multipart', 'runs', 'runs-patch']);
