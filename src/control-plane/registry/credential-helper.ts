import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { type Static, Type } from 'typebox';
import { compileValidator } from '../../platform/schema.ts';
import { StartFailed } from '../errors.ts';

export interface HelperAnswer {
  username: string;
  password: string;
}

const Answer = Type.Object({ Username: Type.String(), Secret: Type.String() });
const checkedAnswer = compileValidator(Answer, 'body');
const NAME = /^[\w.-]+$/;
// Printed by helpers that know no login; the image is then pulled anonymously.
const UNKNOWN = /^(?:credentials not found|no credentials)/;
// User name that marks an identity token, valid only for the registry's own clients.
const TOKEN = '<token>';
// Our secrets; everything else passes, because cloud helpers read their environment.
const OURS = /^(?:SLIPWAY_|DATABASE_URL$|TEMPORAL_|PG)/;

/**
 * Asks a credential helper for a registry's login: `docker-credential-<name> get`, with the address on stdin, as
 * Docker does. Undefined if it knows none. Throws StartFailed without the helper's output, which may be secret.
 */
export async function askHelper(
  name: string,
  address: string,
  timeoutMs: number,
): Promise<HelperAnswer | undefined> {
  const failed = (why: string) => new StartFailed(`docker-credential-${name} for ${address} ${why}`);
  if (!NAME.test(name)) throw new StartFailed('invalid credential helper name in SLIPWAY_REGISTRY_AUTH_FILE');
  const { code, output } = await run(`docker-credential-${name}`, address, timeoutMs).catch(
    (error: unknown) => {
      const { name: kind, code: reason } = error as NodeJS.ErrnoException;
      if (kind === 'AbortError') throw failed(`has not answered within ${timeoutMs / 1000} s`);
      throw failed(reason === 'ENOENT' ? 'is not on the PATH of this worker' : 'cannot be started');
    },
  );
  if (code !== 0 && UNKNOWN.test(output)) return undefined;
  if (code !== 0) throw failed(`has failed with exit code ${code}`);
  const answer = readAnswer(output);
  if (!answer) throw failed('has not answered with a login');
  const { Username: username, Secret: password } = answer;
  if (username === TOKEN) throw failed('answers with an identity token, which engines and nodes cannot use');
  return { username, password };
}

function readAnswer(output: string): Static<typeof Answer> | undefined {
  try {
    return checkedAnswer(JSON.parse(output));
  } catch {
    return undefined;
  }
}

async function run(command: string, input: string, timeoutMs: number) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OURS.test(name)));
  const child = spawn(command, ['get'], {
    cwd: tmpdir(),
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
    signal: AbortSignal.timeout(timeoutMs),
    killSignal: 'SIGKILL',
  });
  // A helper that doesn't read its input reports that by its exit code.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  try {
    const [code, output] = await Promise.all([ended, text(child.stdout)]);
    return { code, output: output.trim() };
  } finally {
    child.stdout.destroy();
  }
}
