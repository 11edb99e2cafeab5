import type { Description } from './messages.ts';

export type Language = Description['language'];

const PYTHON_FILE = /\.py(?::|$)/;
const JAVASCRIPT_FILE = /\.[cm]?[jt]sx?(?::|$)/;
const MODULE = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:\w+$/;

/** The language of a `path:export`: a file by its ending; `package.module:name` is Python. */
export const languageOf = (reference: string): Language =>
  PYTHON_FILE.test(reference) || (MODULE.test(reference) && !JAVASCRIPT_FILE.test(reference))
    ? 'python'
    : 'javascript';
