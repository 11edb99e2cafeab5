import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import type { Exchange } from '../../../graph-protocol/exchange.ts';
import type { HostCommand } from '../host-command.ts';
import { endOf } from '../local-launcher.ts';
import { countMemoryKills } from './memory-kills.ts';

const LONGEST_LINE = 64 * 1024;
const PRINTS_FOR_MS = 1_000;
const NEWLINE = 0x0a;
const KILLED = 'killed by SIGKILL';

/**
 * Runs a host, which connects to the server itself, and sends its output over the exchange. Kills it if the exchange is
 * cancelled. Returns how it ended.
 */
export async function runHost(
  { command: [command, ...args], env }: HostCommand,
  { address, token }: { address: string; token: string },
  exchange: Exchange,
): Promise<string> {
  const kills = countMemoryKills();
  const child = spawn(command!, args, {
    env: { ...env, SLIPWAY_HOST_ADDRESS: address, SLIPWAY_HOST_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const kill = () => void child.kill('SIGKILL');
  if (exchange.signal.aborted) kill();
  exchange.signal.addEventListener('abort', kill, { once: true });
  const printed = Promise.all([
    pass(child.stdout, 'stdout', exchange),
    pass(child.stderr, 'stderr', exchange),
  ]);
  const how = await endOf(child);
  // A child process it left behind may keep its output open.
  await Promise.race([printed, sleep(PRINTS_FOR_MS)]);
  child.stdout.destroy();
  child.stderr.destroy();
  return how === KILLED && countMemoryKills() > kills ? 'out of memory' : how;
}

/** Forwards output in whole lines, with back-pressure from the server. Prints it here once the server is gone. */
async function pass(output: Readable, name: 'stdout' | 'stderr', exchange: Exchange): Promise<void> {
  const send = async (lines: Buffer) => {
    if (exchange.signal.aborted && exchange.signal.reason === 'closed') process[name].write(lines);
    else await exchange.send(name, lines);
  };
  let begun: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of output as AsyncIterable<Buffer>) {
      const all = begun.length === 0 ? chunk : Buffer.concat([begun, chunk]);
      const lines = all.lastIndexOf(NEWLINE) + 1;
      const end = lines === 0 && all.length > LONGEST_LINE ? all.length : lines;
      begun = all.subarray(end);
      if (end > 0) await send(all.subarray(0, end));
    }
    if (begun.length > 0) await send(Buffer.concat([begun, Buffer.from('\n')]));
  } catch {
    // The stream was destroyed above.
  }
}
