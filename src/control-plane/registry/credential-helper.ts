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
// What helpers print, on purpose, where they know of no login; pulls are anybody's then.
const UNKNOWN = /^(?:credentials not found|no credentials)/;
// The user's name of a secret that stands for a whole login, which is good for the registry's own clients alone.
const TOKEN = '<token>';
// What programs of clouds read to know who they are. Ours stays with us.
const OURS = /^(?:SLIPWAY_|DATABASE_URL$|TEMPORAL_|PG)/;

/**
 * Asks a credential helper for the login of a registry: `docker-credential-<name> get`, with the registry's address as
 * its input, as Docker does. Undefined where it knows of none. Throws StartFailed, without what the helper said: it may
 * be a secret.
 */
export async function askHelper(
  name: string,
  address: string,
  timeoutMs: number,
): Promise<HelperAnswer | undefined> {
  const failed = (why: string) =>
    new StartFailed(`docker-credential-${name}, which is to know the login of ${address}, ${why}`);
  if (!NAME.test(name))
    throw new StartFailed('a credential helper of SLIPWAY_REGISTRY_AUTH_FILE has no name of one');
  const { code, said } = await run(`docker-credential-${name}`, address, timeoutMs).catch(
    (error: unknown) => {
      const { name: kind, code: reason } = error as NodeJS.ErrnoException;
      if (kind === 'AbortError') throw failed(`has not answered within ${timeoutMs / 1000} s`);
      throw failed(reason === 'ENOENT' ? 'is not on the PATH of this worker' : 'cannot be started');
    },
  );
  if (code !== 0 && UNKNOWN.test(said)) return undefined;
  if (code !== 0) throw failed(`has failed with exit code ${code}`);
  const answer = readAnswer(said);
  if (!answer) throw failed('has not answered with a login');
  const { Username: username, Secret: password } = answer;
  if (username === TOKEN) throw failed('answers with an identity token, which engines and nodes cannot use');
  return { username, password };
}

function readAnswer(said: string): Static<typeof Answer> | undefined {
  try {
    return checkedAnswer(JSON.parse(said));
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
  // One that does not read what it is asked says so by how it ends.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  try {
    const [code, said] = await Promise.all([ended, text(child.stdout)]);
    return { code, said: said.trim() };
  } finally {
    child.stdout.destroy();
  }
}
