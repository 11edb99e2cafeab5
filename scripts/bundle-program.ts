import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { packageRoot } from '../src/platform/package-root.ts';
import { BUNDLED } from './bundle-options.ts';
import { replaceFiles } from './replace-files.ts';

const folder = 'dist/bin';

/**
 * Bundles the program into a few files instead of two thousand, because Node spends most of a start finding and reading
 * small ones. Code that a command imports lazily goes into separate files.
 */
const { outputFiles } = await build({
  ...BUNDLED,
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
  // For debuggers and `node --enable-source-maps`; loading them at every start would take longer than the start itself.
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'linked',
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
});
await replaceFiles(fileURLToPath(new URL(`${folder}/`, packageRoot)), outputFiles);
