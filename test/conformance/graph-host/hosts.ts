import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../../src/platform/package-root.ts';
import {
  type HostCommand,
  type HostUnderTest,
  startHost,
  type Transport,
} from '../../support/host-under-test.ts';
import type { MemoryServer } from '../../support/memory-server.ts';
import { hostPython } from '../../support/python-project.ts';
import { isWhole } from '../../support/whole.ts';

const pathOf = (path: string): string => fileURLToPath(new URL(path, packageRoot));

/** A fixture project; all languages have the same graphs. */
export interface FixtureProject {
  dir: string;
  file: string;
}

export interface HostKind {
  language: string;
  transport: Transport;
  /** Extension of its source files. */
  extension: string;
  command: Omit<HostCommand, 'dir'>;
  graphs: FixtureProject;
  guarded: FixtureProject;
}

type Language = Omit<HostKind, 'transport'>;

const python: Language = {
  language: 'python',
  extension: 'py',
  command: {
    program: await hostPython(),
    args: ['-m', 'slipway_graph_host'],
    env: { PYTHONPATH: pathOf('python') },
  },
  graphs: { dir: pathOf('test/fixtures/python'), file: 'langgraph.json' },
  guarded: { dir: pathOf('test/fixtures/python-guarded'), file: 'langgraph.json' },
};

const javascript: Language = {
  language: 'javascript',
  extension: 'ts',
  command: { program: process.execPath, args: [pathOf('dist/bin/graph-host.js')] },
  graphs: { dir: pathOf('test/fixtures/graphs'), file: 'graph.json' },
  guarded: { dir: pathOf('test/fixtures/guarded'), file: 'host.json' },
};

const TRANSPORTS: Transport[] = ['fd', 'unix', 'tcp'];

const over = (transports: Transport[], languages: Language[]): HostKind[] =>
  transports.flatMap((transport) => languages.map((language) => ({ ...language, transport })));

export const overAllTransports = over(TRANSPORTS, [python, javascript]);
const tested: Transport[] = isWhole ? TRANSPORTS : ['fd'];
export const kinds = over(tested, [python, javascript]);
export const pythonKinds = over(tested, [python]);

export interface LoadedHost extends HostUnderTest {
  description: Description;
}

export interface Description {
  language: string;
  graphs: Record<
    string,
    { description?: string; is_factory: boolean; schemas: Record<string, object | null> }
  >;
  auth: { events: string[] } | null;
  http: boolean;
  websockets: boolean;
  encryption: Record<string, boolean> | null;
  embed: boolean;
  store: boolean;
  warnings: string[];
}

/** A host that has loaded a project, by default the fixture graphs. */
export async function startLoaded(
  { command, graphs, transport }: HostKind,
  server: MemoryServer,
  project: FixtureProject = graphs,
  ids?: string[],
): Promise<LoadedHost> {
  const { dir, file } = project;
  const host = await startHost({ ...command, dir }, server.handlers, transport);
  const config = JSON.parse(await readFile(`${dir}/${file}`, 'utf8')) as { graphs: object };
  if (ids)
    config.graphs = Object.fromEntries(Object.entries(config.graphs).filter(([id]) => ids.includes(id)));
  const params = { dir, file, config };
  try {
    return { ...host, description: await host.channel.call<Description>('load', params) };
  } catch (error) {
    await host.close();
    throw error;
  }
}
