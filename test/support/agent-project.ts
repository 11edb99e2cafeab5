import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll } from '@jest/globals';
import type { ProbeRequest, ProbeResult } from './project-probe.ts';

const run = promisify(execFile);
export const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Loads a project as a server does, in a separate process, because Jest does not support TypeScript hooks. */
export async function load(request: ProbeRequest, env: Record<string, string> = {}): Promise<ProbeResult> {
  const { stdout } = await run(
    process.execPath,
    ['--import', 'tsx', at('test/support/project-probe.ts'), JSON.stringify(request)],
    { cwd: at('.'), env: { ...process.env, ...env } },
  );
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n'))) as ProbeResult;
}

const root = mkdtempSync(join(tmpdir(), 'slipway-project-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let count = 0;

/** Creates an agent project from these files, with its own installed engine. */
export function project(files: Record<string, string | object>, engine = '@langchain/langgraph'): string {
  const folder = join(root, String(count++));
  const links = { '@langchain/langgraph': engine, '@langchain/core': '@langchain/core', zod: 'zod' };
  for (const [name, target] of Object.entries(links)) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(at(`node_modules/${target}`), join(folder, 'node_modules', name));
  }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

/** Start of a graph's file; `says(text)` builds a graph that answers the text and counts. */
export const BUILDER = `
import { Annotation, MemorySaver, START, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ said: Annotation<string>(), count: Annotation<number>() });
const says = (text: string) => new StateGraph(State)
  .addNode('say', ({ count }) => ({ said: text, count: (count ?? 0) + 1 })).addEdge(START, 'say');
`;

export const ESM = { 'package.json': { type: 'module' } };
