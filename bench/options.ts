import { parseArgs } from 'node:util';

export interface Options {
  /** Names of scenarios; empty means all. */
  scenarios: string[];
  url: string | undefined;
  out: string | undefined;
  list: boolean;
  /** Whether the server authorizes every request with an `Auth` object. */
  auth: boolean;
  /** Whether to use the Python graphs. */
  python: boolean;
}

const { options: SPEC } = {
  options: {
    scenario: { type: 'string', multiple: true },
    url: { type: 'string' },
    out: { type: 'string' },
    list: { type: 'boolean' },
    auth: { type: 'boolean' },
    python: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const,
};

export const USAGE = `npm run bench -- [options]
  --scenario a,b   only these (--list names them)
  --url <address>  measure a running server that serves bench/graphs/graph.json
  --auth           with custom authentication and authorization
  --python         the same graphs in Python; SLIPWAY_PYTHON has the packages of bench/graphs/python/requirements.txt
  --out <file>     also write the result to this file
  --list           list scenarios and their targets`;

/** Parses the command line. Throws with a one-line message; undefined if help was requested. */
export function readOptions(args: string[]): Options | undefined {
  const { values } = parseArgs({ args, options: SPEC });
  if (values.help) return undefined;
  return {
    scenarios: (values.scenario ?? []).flatMap((names) => names.split(',')).filter(Boolean),
    url: values.url,
    out: values.out,
    list: values.list ?? false,
    auth: values.auth ?? false,
    python: values.python ?? false,
  };
}
