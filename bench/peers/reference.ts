import { execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../src/platform/http/free-port.ts';
import { until } from '../pacing.ts';
import type { Peer } from './peer.ts';

const root = new URL('../../', import.meta.url);
const GRAPHS = new URL('bench/graphs/', root);
const CACHE = new URL('node_modules/.cache/slipway-peers/', root);

/** Installs the in-memory JavaScript server of LangGraph from npm, with this checkout's engine, and starts it. */
export async function startReference(version: string): Promise<Peer> {
  const dir = fileURLToPath(new URL(version, CACHE));
  await install(dir, version);
  await cp(GRAPHS, dir, { recursive: true, filter: (path) => !/\.json$|python|auth\.ts$/.test(path) });
  await cp(new URL('graph.json', GRAPHS), `${dir}/langgraph.json`);
  // It would start with the threads of the last benchmark.
  await rm(`${dir}/.langgraph_api`, { recursive: true, force: true });
  const port = await freePort('127.0.0.1');
  const log = openSync(`${dir}/server.log`, 'w');
  const args = ['dev', '--no-browser', '--no-reload', '--port', String(port), '--config', 'langgraph.json'];
  const child = spawn(`${dir}/node_modules/.bin/langgraphjs`, args, {
    cwd: dir,
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const url = `http://localhost:${port}`;
  const stop = async () => {
    try {
      // Including the processes that it starts.
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  };
  try {
    await until('The reference is ready', 120_000, async () => {
      if (child.exitCode !== null) throw new Error(`It did not start:\n${await read(`${dir}/server.log`)}`);
      return fetch(`${url}/ok`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { name: `reference ${version}`, url, pid: child.pid!, stop };
}

async function install(dir: string, version: string): Promise<void> {
  const { devDependencies: own } = JSON.parse(await read(fileURLToPath(new URL('package.json', root)))) as {
    devDependencies: Record<string, string>;
  };
  const engine = Object.fromEntries(
    ['@langchain/langgraph', '@langchain/core'].map((name) => [name, own[name]]),
  );
  const wanted = JSON.stringify({
    private: true,
    type: 'module',
    dependencies: { ...engine, '@langchain/langgraph-cli': version },
  });
  // npm writes the second file when it has installed everything.
  const isInstalled = existsSync(`${dir}/node_modules/.package-lock.json`);
  if (isInstalled && (await read(`${dir}/package.json`)) === wanted) return;
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  await writeFile(`${dir}/package.json`, wanted);
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund'], { cwd: dir });
}

const read = (path: string): Promise<string> => readFile(path, 'utf8');
