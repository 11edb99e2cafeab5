import { readFile } from 'node:fs/promises';
import type { BuildOptions, Plugin } from 'esbuild';
import { smallerProtocol } from './smaller-protocol.ts';
import { withoutWatchdog } from './without-watchdog.ts';

const temporalWorker: Plugin = {
  name: 'temporal-worker',
  setup({ onLoad, onResolve }) {
    // Both read files next to their own, so they are imported from where the worker would find them.
    const namespace = 'of-temporal-worker';
    onResolve({ filter: /^source-map$/ }, ({ path }) => ({ path, namespace }));
    onResolve({ filter: /^\.\/common$/ }, ({ importer }) =>
      importer.endsWith('/core-bridge/index.js')
        ? { path: '@temporalio/core-bridge/common', namespace }
        : null,
    );
    onLoad({ filter: /./, namespace }, ({ path }) => ({
      contents: `
        const { createRequire } = require('node:module');
        module.exports = createRequire(require.resolve('@temporalio/worker'))('${path}');
      `,
    }));
    // Our workers use prebuilt workflows, and loading webpack would take a quarter of the start.
    onLoad({ filter: /@temporalio\/worker\/lib\/workflow\/bundler\.js$/ }, () => ({
      contents: `
        function none() { throw new Error('workflows are bundled by npm run build'); }
        module.exports = { defaultWorkflowInterceptorModules: [], bundleWorkflowCode: none, WorkflowCodeBundler: none };
      `,
    }));
    onLoad({ filter: /@temporalio\/worker\/lib\/workflow\/reusable-vm\.js$/ }, async ({ path }) => ({
      contents: withoutWatchdog(await readFile(path, 'utf8')),
    }));
    onLoad({ filter: /@temporalio\/proto\/protos\/json-module\.js$/ }, async ({ path }) => ({
      contents: smallerProtocol(await readFile(path, 'utf8')),
    }));
  },
};

/** Options of all bundles for Node. */
export const BUNDLED = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Failures are identified by their class name.
  keepNames: true,
  chunkNames: '[name]-[hash]',
  // Globals that bundled CommonJS packages expect.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  plugins: [temporalWorker],
} as const satisfies BuildOptions;
