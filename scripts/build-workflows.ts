import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import { packageRoot } from '../src/platform/package-root.ts';

const quiet = { log() {}, trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error };
const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('dist/workflows/index.js', packageRoot)),
  logger: quiet,
});
await writeFile(new URL('dist/workflow-bundle.js', packageRoot), code);
