import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import type { GraphSource } from './source-schemas.ts';
import { readSources } from './type-program.ts';

// The process that `readSourceSchemas` starts.
const { sources, timeoutSeconds } = JSON.parse(await text(process.stdin)) as {
  sources: GraphSource[];
  timeoutSeconds: number;
};

// In a thread, because type checking blocks this one; and here, so that it holds when the parent dies.
const giveUp = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${Number(timeoutSeconds) * 1000})`;
new Worker(giveUp, { eval: true }).unref();

setPriority(10);
try {
  // When memory runs out, the kernel ends this process and not the server.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {}

// One after the other: a pipe takes a long line in pieces.
for (const schemas of readSources(sources))
  await new Promise((written) => process.stdout.write(`${JSON.stringify(schemas)}\n`, written));
