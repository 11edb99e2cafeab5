import { readdir, readFile } from 'node:fs/promises';

export default async function tearDown() {
  // The services belong to the run that started this one.
  if (!globalThis.stopTestServices) return;
  await endLeftovers(process.env.TEST_DATABASE_URL);
  await globalThis.stopTestServices();
}

/** Kills processes that a test left running: they hold the workers' output open, and may use a core for ever. */
async function endLeftovers(databaseUrl) {
  if (process.platform !== 'linux') return;
  const { username, password, port } = new URL(databaseUrl);
  const ours = [`//${username}:${password}@`, `:${port}/`];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  for (const pid of pids) {
    const read = (file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
    const environment = await read('environ');
    if (!ours.every((part) => environment.includes(part))) continue;
    console.warn(`left running by a test: ${(await read('cmdline')).replaceAll('\0', ' ')}`);
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}
