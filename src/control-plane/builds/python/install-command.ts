import type { PythonPlan } from './python-plan.ts';

// uv reads locked packages from the lockfile's folder.
const SYNC = 'cd "$1" && uv sync --locked --inexact --quiet';
// Quiet: a line for each package is noise.
const WITH_UV = 'uv pip install --quiet "$@"';
const WITH_PIP = '"$UV_PYTHON" -m pip install --quiet "$@"';

/**
 * Commands that install the packages of a project into `$UV_PYTHON`, one after the other, at the root of the project.
 */
export function installCommands(
  { locked, requirements, installer, pipConfig }: PythonPlan,
  { withGroups = false } = {},
): string[][] {
  const commands: string[][] = [];
  const sync = withGroups ? SYNC : `${SYNC} --no-dev`;
  if (locked !== undefined) commands.push(['sh', '-c', sync, 'slipway-python', locked]);
  if (requirements.length === 0) return commands;
  const config = pipConfig === undefined ? '' : 'PIP_CONFIG_FILE="$PWD/$1"; export PIP_CONFIG_FILE; shift; ';
  const script = config + (installer === 'uv' ? WITH_UV : WITH_PIP);
  const args = [...(pipConfig === undefined ? [] : [pipConfig]), ...requirements];
  return [...commands, ['sh', '-c', script, 'slipway-python', ...args]];
}
