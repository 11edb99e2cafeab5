import type { Description } from './messages.ts';

export type Language = Description['language'];

const PYTHON_FILE = /\.py(?::|$)/;
const JAVASCRIPT_FILE = /\.[cm]?[jt]sx?(?::|$)/;
const MODULE = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:\w+$/;

/** `package.module:name`, which Python finds wherever it is installed. */
export const isModule = (reference: string): boolean =>
  MODULE.test(reference) && !PYTHON_FILE.test(reference) && !JAVASCRIPT_FILE.test(reference);

/** The language of a `path:export`: a file by its ending. */
export const languageOf = (reference: string): Language =>
  PYTHON_FILE.test(reference) || isModule(reference) ? 'python' : 'javascript';
