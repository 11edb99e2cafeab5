import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../platform/package-root.ts';
import type { JsonSchema } from '../../graph-protocol/messages.ts';

/** The export of a graph. */
export interface GraphSource {
  graph_id: string;
  file: string;
  name: string;
}

/** Properties of each schema, as the graph's TypeScript types declare them; none for a type that declares none. */
export type GraphSourceSchemas = Partial<
  Record<'input' | 'output' | 'state' | 'config', Record<string, JsonSchema>>
>;

export interface SourceSchemas extends GraphSourceSchemas {
  /** By namespace: `child`, `child|grandchild`. */
  subgraphs?: Record<string, GraphSourceSchemas>;
}

export interface ReadLimits {
  timeoutSeconds?: number;
  heapMegabytes?: number;
}

const READER = fileURLToPath(new URL('dist/bin/source-schemas.js', packageRoot));
const MAX_OUTPUT_BYTES = 8 << 20;

/**
 * Reads the schemas of graphs from their TypeScript source. Runs in a separate process, because the source may be
 * hostile and the type checker needs some 200 MB. Graphs that exceed the limits are missing from the result.
 */
export async function readSourceSchemas(
  sources: GraphSource[],
  { timeoutSeconds = 30, heapMegabytes = 512 }: ReadLimits = {},
): Promise<Map<string, SourceSchemas>> {
  const reader = spawn(process.execPath, [`--max-old-space-size=${heapMegabytes}`, READER], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {},
  });
  const failed = new Promise<never>((_resolve, reject) => reader.once('error', reject));
  reader.stdin.on('error', () => {});
  reader.stdin.end(JSON.stringify({ sources, timeoutSeconds }));
  let bytes = 0;
  reader.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_OUTPUT_BYTES) reader.kill('SIGKILL');
  });
  const output = await Promise.race([text(reader.stdout), failed]);
  // After the last line break there may be a truncated line.
  const lines = output.split('\n').slice(0, -1);
  return new Map(lines.map((line) => JSON.parse(line) as [string, SourceSchemas]));
}
