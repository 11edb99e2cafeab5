import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Driver, Instance, StartRequest } from '../../src/control-plane/drivers/driver.ts';
import { defineError } from '../../src/platform/errors.ts';

const StartFailed = defineError('StartFailed', 400, (detail: string) => detail);

const PROGRAM = `
  const server = require('node:http').createServer({ keepAliveTimeout: 0 }, (request, response) => {
    if (process.env.START_UNHEALTHY) return;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, revision_id: process.env.REVISION_ID, greeting: process.env.GREETING }));
  });
  if (process.env.START_FAILS) { console.error('the model key is missing'); process.exit(1); }
  if (process.env.START_HANGS) setInterval(() => {}, 1_000);
  else server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

/** A small driver for tests: each revision is a separate process that answers `/ok`. */
export class ProcessDriver implements Driver {
  readonly #running = new Map<string, { child: ChildProcess; instance: Instance }>();
  readonly erased: string[] = [];

  async start({ revision: { id }, environment, log, signal }: StartRequest): Promise<Instance> {
    const known = this.#running.get(id);
    if (known) return known.instance;
    const variables = Object.fromEntries(environment.map(({ name, value }) => [name, value]));
    const child = spawn(process.execPath, ['-e', PROGRAM], {
      env: { PATH: process.env['PATH'], REVISION_ID: id, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    createInterface({ input: child.stderr }).on('line', (line) => log(line, 'error'));
    const lines = createInterface({ input: child.stdout });
    const first = once(lines, 'line', { signal }).then(([port]) => Number(port));
    // Only after all of its output has been read.
    const gone = once(child, 'close').then(([code]) => {
      throw new StartFailed(`It ended with ${code} before it answered`);
    });
    gone.catch(() => {});
    try {
      const instance = { url: `http://127.0.0.1:${await Promise.race([first, gone])}` };
      await fetch(`${instance.url}/ok`, { signal });
      this.#running.set(id, { child, instance });
      log(`answers at port ${new URL(instance.url).port}`);
      return instance;
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  async scale(): Promise<void> {}

  async drain(): Promise<void> {}

  async stop(revisionId: string): Promise<void> {
    const running = this.#running.get(revisionId);
    if (!running) return;
    const { child } = running;
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL'))
      await once(child, 'exit');
    this.#running.delete(revisionId);
  }

  async erase(deploymentId: string): Promise<void> {
    this.erased.push(deploymentId);
  }

  /** A revision's response; undefined if it is not running. */
  async ask(revisionId: string): Promise<Record<string, unknown> | undefined> {
    const running = this.#running.get(revisionId);
    if (!running) return undefined;
    return (await (await fetch(`${running.instance.url}/ok`)).json()) as Record<string, unknown>;
  }

  async stopAll(): Promise<void> {
    await Promise.all(Array.from(this.#running.keys(), (id) => this.stop(id)));
  }
}
