import { type Comparison, type IdentityKind, LIMIT_ROWS, type LimitRow, type Match } from './limit-rows.ts';

const RUN = /^\/runs\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

// Precedence of comparisons, most specific first, regardless of table order (contract §3.1).
const SPECIFIC: readonly Comparison[] = ['method', 'exact', 'run', 'prefix', 'suffix', 'contains'];

const COMPARES: Record<Comparison, (path: string, wanted: string) => boolean> = {
  method: () => true,
  exact: (path, wanted) => path === wanted,
  run: (path) => RUN.test(path),
  prefix: (path, wanted) => path === wanted || path.startsWith(`${wanted}/`),
  suffix: (path, wanted) => path.endsWith(wanted),
  contains: (path, wanted) => path.includes(wanted),
};

interface Ranked {
  row: LimitRow;
  match: Match;
}

const rank = ({ compare, method }: Match): number => 2 * SPECIFIC.indexOf(compare) + (method ? 0 : 1);
const ranked = (identity: IdentityKind): Ranked[] =>
  LIMIT_ROWS.filter((row) => row.identity === identity)
    .flatMap((row) => row.matches.map((match) => ({ row, match })))
    .sort((one, other) => rank(one.match) - rank(other.match));

const RANKED = { ip: ranked('ip'), key: ranked('key'), user: ranked('user') };
const rowOf = (id: string): LimitRow => LIMIT_ROWS.find((row) => row.id === id)!;
const REST = { ip: rowOf('public'), key: rowOf('key'), user: rowOf('user') };

/** The row that counts a request (contract §3.1). `path` must be canonical. */
export function matchRow(method: string, path: string, credential: 'key' | 'user' | undefined): LimitRow {
  const find = (kind: IdentityKind): LimitRow | undefined =>
    RANKED[kind].find(
      ({ match }) =>
        (!match.method || match.method === method) && COMPARES[match.compare](path, match.path ?? ''),
    )?.row;
  return find('ip') ?? (credential && find(credential)) ?? REST[credential ?? 'ip'];
}

/** The row for unidentified requests. */
export const PUBLIC_ROW = REST.ip;
