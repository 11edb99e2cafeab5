import type { Tool } from '../package-tool.ts';

const VERSION = '0.13.9';
const SPEC = `uv==${VERSION}`;

/** uv of the machine, where it has one; otherwise pip fetches it. */
export const UV: Tool = {
  name: 'uv',
  version: VERSION,
  spec: SPEC,
  // Not from the project's folder: Python would import modules of it.
  fetch: `command -v uv >/dev/null || (cd "$HOME" && {
    python3 -m pip --version >/dev/null 2>&1 || { echo "Python projects need uv, or python3 with pip, on the machine that builds"; exit 1; }
    python3 -m pip install --quiet --target "$SLIPWAY_TOOL" ${SPEC}; })`,
};
