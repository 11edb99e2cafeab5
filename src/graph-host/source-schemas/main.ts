import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import type { GraphSource } from './source-schemas.ts';
import { readSources } from './type-program.ts';

// Entry point of the process that `readSourceSchemas` starts.
const { sources, timeoutSeconds } = JSON.parse(await text(process.stdin)) as {
  sources: GraphSource[];
  timeoutSeconds: number;
};

// In a thread, because type checking blocks this one; and in this process, so that it works if the parent dies.
const giveUp = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${Number(timeoutSeconds) * 1000})`;
new Worker(giveUp, { eval: true }).unref();

setPriority(10);
try {
  // If memory runs out, the kernel kills this process rather than the server.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {}

// Written in sequence, because a pipe accepts a long line in pieces.
for (const schemas of readSources(sources))
  await new Promise((written) => process.stdout.write(`${JSON.stringify(schemas)}\n`, written));
