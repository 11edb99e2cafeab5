import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../../platform/package-root.ts';
import { BuildFailed } from '../../errors.ts';
import type { LogSink } from '../../log.ts';
import type { PackageCache } from '../package-cache.ts';
import type { Sandbox } from '../sandbox.ts';
import { installCommands } from './install-command.ts';
import type { PythonPlan } from './python-plan.ts';
import { UV } from './uv.ts';

const RELOCATE = fileURLToPath(new URL('python/slipway_build/relocate.py', packageRoot));

// $1 version, $2 environment; the rest is for uv. A Python that uv manages runs from wherever it lies, and goes into
// the artifact whole; one of the machine is to be where the artifact runs. A copy of its program, since no link may
// lead out of the project.
const MAKE = `rm -rf "$2"
found=$(UV_HTTP_RETRIES=0 uv python install "$1" 2>&1) && home=$(uv python find --managed-python "$1") && {
  home=$(realpath "$home")
  cp -RP "$(dirname "$(dirname "$home")")" "$2" && rm -f "$2"/lib/python3*/EXTERNALLY-MANAGED &&
    ln -sfn "$(basename "$home")" "$2/bin/python" && exit 0
  exit 1
}
[ "$UV_PYTHON_DOWNLOADS" = never ] || printf '%s\\n' "$found" | head -n 1
version=$1 environment=$2
shift 2
uv venv --quiet "$@" --no-managed-python --no-python-downloads --python "$version" "$environment" || exit 1
set -- "$version" "$environment"
home=$(realpath "$2/bin/python")
rm "$2/bin/python" && cp "$home" "$2/bin/python"
echo "warning: the artifact uses $home of this machine: it needs the same Python where it runs"`;

// An artifact's files get new timestamps and are read-only, so bytecode must stay valid regardless.
const COMPILE = `"$UV_PYTHON" -m compileall -q -j 2 --invalidation-mode unchecked-hash -x '/(tests?|idlelib|lib2to3)/' "$1/lib" >/dev/null 2>&1
true`;

// Among the last lines of uv and pip.
const OFFLINE =
  /Failed to fetch|error sending request|connect error|Connection refused|lookup address|timed out|Failed to establish/i;

export interface PythonBuild {
  sandbox: Sandbox;
  /** Of environments. */
  cache: PackageCache;
  log: LogSink;
}

/** Makes the environment of a Python project ready, and activates it. Throws BuildFailed. */
export async function buildEnvironment(
  plan: PythonPlan,
  folder: string,
  build: PythonBuild,
  { packages }: { packages: boolean },
): Promise<void> {
  const { sandbox, cache, log } = build;
  const { key, warnings, environment } = plan;
  for (const warning of packages ? warnings : []) log(warning, 'warn');
  await sandbox.use(UV);
  if (packages && key && (await cache.restore(key, folder)) && (await isUsable(plan, sandbox))) {
    sandbox.activate(environment);
    log('Reusing the Python packages of an earlier build with the same uv.lock');
    return;
  }
  // Commands of a project may call pip.
  await makeEnvironment(plan, sandbox, { pip: !packages || plan.installer === 'pip' });
  sandbox.activate(environment);
  if (!packages) return;
  for (const command of installCommands(plan)) {
    log(`Installing Python packages: ${describe(command)}`);
    await install(command, build);
  }
  await relocateEnvironment(plan, sandbox);
  await sandbox.run({
    name: 'Compiling Python packages',
    command: ['sh', '-c', COMPILE, 'slipway-python', environment],
  });
  if (key) await cache.keep(key, folder);
}

/** Frees the environment from the folder of the build. */
export const relocateEnvironment = ({ environment }: PythonPlan, sandbox: Sandbox): Promise<void> =>
  sandbox.run({
    name: 'Relocating Python packages',
    command: [`${environment}/bin/python`, '-I', RELOCATE, environment, '.'],
  });

async function makeEnvironment(
  { version, askedBy, environment }: PythonPlan,
  sandbox: Sandbox,
  { pip }: { pip: boolean },
): Promise<void> {
  try {
    const command = ['sh', '-c', MAKE, 'slipway-python', version, environment, ...(pip ? ['--seed'] : [])];
    await sandbox.run({ name: `Making an environment of Python ${version}`, command });
  } catch (error) {
    if (!(error instanceof BuildFailed) || !/No interpreter found/.test(error.message)) throw error;
    const by = askedBy ? ` (${askedBy})` : '';
    throw new BuildFailed(
      `Python ${version}${by} is not available: it is not installed here and cannot be downloaded`,
    );
  }
}

/** The machine's Python may be another one by now. */
async function isUsable({ environment }: PythonPlan, sandbox: Sandbox): Promise<boolean> {
  try {
    await sandbox.run({
      name: 'Trying the environment',
      command: [`${environment}/bin/python`, '-I', '-c', ''],
    });
    return true;
  } catch (error) {
    if (error instanceof BuildFailed) return false;
    throw error;
  }
}

/** From the network; else from what earlier builds have fetched. */
async function install(command: string[], { sandbox, log }: PythonBuild): Promise<void> {
  const name = 'Installing Python packages';
  try {
    await sandbox.run({ name, command });
  } catch (error) {
    if (!(error instanceof BuildFailed) || !OFFLINE.test(error.message)) throw error;
    log('The package index does not respond: trying packages of earlier builds', 'warn');
    await sandbox.run({ name, command: ['env', 'UV_OFFLINE=1', ...command] }).catch(() => {
      throw error;
    });
  }
}

const describe = ([, , script, , ...args]: string[]): string =>
  /uv sync/.test(script!) ? `uv.lock of ${args[0]}` : args.join(' ');
