import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { packageRoot } from '../src/platform/package-root.ts';
import { replaceFiles } from './replace-files.ts';
import { withoutWatchdog } from './without-watchdog.ts';

const temporalWorker: Plugin = {
  name: 'temporal-worker',
  setup({ onLoad, onResolve }) {
    // Both read files beside their own, so they stay where they are: in the copy that the worker itself would get.
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
    // Our workers are given their workflows ready made, and webpack with its loaders costs a quarter of a start.
    onLoad({ filter: /@temporalio\/worker\/lib\/workflow\/bundler\.js$/ }, () => ({
      contents: `
        function none() { throw new Error('workflows are bundled by npm run build'); }
        module.exports = { defaultWorkflowInterceptorModules: [], bundleWorkflowCode: none, WorkflowCodeBundler: none };
      `,
    }));
    onLoad({ filter: /@temporalio\/worker\/lib\/workflow\/reusable-vm\.js$/ }, async ({ path }) => ({
      contents: withoutWatchdog(await readFile(path, 'utf8')),
    }));
  },
};

const folder = 'dist/bin';

/**
 * The program in a few files instead of two thousand: Node spends most of a start on finding and reading small ones.
 * What a command does not need is imported by it lazily, and so is in another file.
 */
const { outputFiles } = await build({
  absWorkingDir: fileURLToPath(packageRoot),
  entryPoints: {
    slipway: 'src/bin/slipway.ts',
    'graph-host': 'src/graph-host/main.ts',
    // A graph host starts it as a process of its own.
    'source-schemas': 'src/graph-host/source-schemas/main.ts',
    // Temporal's worker starts a thread from the file of this name beside its own.
    'workflow-worker-thread': 'src/bin/workflow-worker-thread.ts',
  },
  outdir: folder,
  write: false,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Two classes of one name stay so: failures are told apart by it.
  keepNames: true,
  // For debuggers, and for `node --enable-source-maps`; reading them at every start would take longer than the start.
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'linked',
  chunkNames: '[name]-[hash]',
  // Native code, what the project brings itself, what reads files beside its own, and what few commands need.
  external: [
    '@langchain/*',
    '@kubernetes/client-node',
    '@pydantic/genai-prices',
    'dockerode',
    'esbuild',
    'gpt-tokenizer',
    'pg-native',
    'tsx',
    'typescript-5',
  ],
  // What packages of CommonJS still ask for.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  plugins: [temporalWorker],
});
await replaceFiles(fileURLToPath(new URL(`${folder}/`, packageRoot)), outputFiles);
