import { existsSync } from 'node:fs';
import { join } from 'node:path';

const INTERPRETER = '.venv/bin/python';

/** The interpreter of a project's own environment, relative to its folder. */
export const findInterpreter = (dir: string): string | undefined =>
  existsSync(join(dir, INTERPRETER)) ? INTERPRETER : undefined;
