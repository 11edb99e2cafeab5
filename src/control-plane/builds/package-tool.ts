/** A package manager fetched from a registry. */
export interface Tool {
  /** Command name. */
  name: string;
  version: string;
  /** Package and version. */
  spec: string;
  /** Shell line that installs it into `$SLIPWAY_TOOL`. */
  fetch: string;
}

/** A JavaScript package manager other than npm. */
export interface PackageTool extends Tool {
  /** Installs exactly what the lockfile says. */
  install: string;
}

// By lockfile version, newest first: the last release that writes it and runs on the builders' Node.
const PNPM: [lockfile: number, version: string][] = [
  [9, '10.34.8'],
  [6, '8.15.9'],
  [5, '7.33.7'],
];
const YARN: [lockfile: number, version: string][] = [
  [10, '4.18.1'],
  [8, '4.9.4'],
  [6, '3.8.6'],
  [4, '2.4.3'],
];
const YARN_CLASSIC = '1.22.22';

/** The version in `packageManager` of package.json, or else one that writes this lockfile. */
export function packageTool(name: 'pnpm' | 'yarn', lockfile: string, packageManager: unknown): PackageTool {
  const named = typeof packageManager === 'string' ? packageManager : '';
  const [, asked, wanted] =
    /^(pnpm|yarn)@(\d{1,4}\.\d{1,4}\.\d{1,4}(?:-[\w.]{1,50})?)(?:\+|$)/.exec(named) ?? [];
  const version = (asked === name && wanted) || usualVersion(name, lockfile);
  const isClassic = name === 'yarn' && version.startsWith('1.');
  const spec = `${name === 'pnpm' || isClassic ? name : '@yarnpkg/cli-dist'}@${version}`;
  const fetch = fromNpm(name, spec);
  if (name === 'pnpm') return { name, version, spec, fetch, install: 'pnpm install --frozen-lockfile' };
  return isClassic
    ? { name, version, spec, fetch, install: 'yarn install --frozen-lockfile --non-interactive' }
    : { name, version, spec, fetch, install: 'yarn install --immutable' };
}

function usualVersion(name: 'pnpm' | 'yarn', lockfile: string): string {
  if (name === 'pnpm') return writerOf(PNPM, /^lockfileVersion: *'?(\d+)/m.exec(lockfile)?.[1]);
  // Written by Yarn 2 and later.
  const metadata = /^__metadata:\s+version: *"?(\d+)/m.exec(lockfile)?.[1];
  return metadata === undefined ? YARN_CLASSIC : writerOf(YARN, metadata);
}

const writerOf = (versions: [number, string][], lockfile: string | undefined): string =>
  (versions.find(([oldest]) => Number(lockfile ?? Infinity) >= oldest) ?? versions.at(-1)!)[1];

const fromNpm = (name: string, spec: string): string =>
  `[ -e "$SLIPWAY_TOOL/bin/${name}" ] || ` +
  `(cd "$HOME" && npm install --global --prefix "$SLIPWAY_TOOL" --ignore-scripts --loglevel error ${spec})`;
