import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { packageRoot } from '../src/platform/package-root.ts';
import { replaceFiles } from './replace-files.ts';
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
  },
};

const folder = 'dist/bin';

/**
 * Bundles the program into a few files instead of two thousand, because Node spends most of a start finding and reading
 * small ones. Code that a command imports lazily goes into separate files.
 */
const { outputFiles } = await build({
  absWorkingDir: fileURLToPath(packageRoot),
  entryPoints: {
    slipway: 'src/bin/slipway.ts',
    'graph-host': 'src/graph-host/main.ts',
    // Started by graph hosts as a separate process.
    'source-schemas': 'src/graph-host/source-schemas/main.ts',
    // Temporal's worker starts a thread from the file with this name in its own folder.
    'workflow-worker-thread': 'src/bin/workflow-worker-thread.ts',
  },
  outdir: folder,
  write: false,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Failures are identified by their class name.
  keepNames: true,
  // For debuggers and `node --enable-source-maps`; loading them at every start would take longer than the start itself.
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'linked',
  chunkNames: '[name]-[hash]',
  // Native code, packages of the project, packages that read files of their own, and those that few commands need.
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
  // Globals that bundled CommonJS packages expect.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  plugins: [temporalWorker],
});
await replaceFiles(fileURLToPath(new URL(`${folder}/`, packageRoot)), outputFiles);
