import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import { packageRoot } from '../src/platform/package-root.ts';

const quiet = { log() {}, trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error };
const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('dist/workflows/index.js', packageRoot)),
  logger: quiet,
});

// Every worker reads the source map at startup; it needs the positions only, a third of it.
const slim = code.replace(/(?<=base64,)\S+\s*$/, (encoded) => {
  const map = JSON.parse(Buffer.from(encoded, 'base64').toString()) as { sourcesContent?: unknown };
  delete map.sourcesContent;
  return Buffer.from(JSON.stringify(map)).toString('base64');
});
await writeFile(new URL('dist/workflow-bundle.js', packageRoot), slim);
