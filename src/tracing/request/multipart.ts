import { isUtf8 } from 'node:buffer';
import { InvalidBatch } from '../errors.ts';

export interface Part {
  name: string;
  /** Without parameters; empty if missing. */
  type: string;
  body: Buffer;
  /** File name; undefined if missing. */
  file?: string | undefined;
}

const ASCII = /^[\x20-\x7e]*$/;
const MAX_PARTS = 100_000;
const MAX_HEAD_BYTES = 16 * 1024;
const NAME = /^content-disposition:[^\r\n]*[;\s]name="((?:[^"\\\r\n]|\\.)*)"/im;
const FILE = /^content-disposition:[^\r\n]*[;\s]filename="((?:[^"\\\r\n]|\\.)*)"/im;
const HAS_FILE = /filename=/i;
const TYPE = /^content-type:[ \t]*([^;\r\n]+)/im;

/** Undefined if it is not multipart or has no boundary. */
export function boundaryOf(contentType: string): string | undefined {
  if (!/^multipart\/form-data\b/i.test(contentType)) return undefined;
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? [];
  return quoted ?? plain;
}

/**
 * Splits a complete multipart body into slices, in order. File names have no meaning (contract §1.3). Throws
 * InvalidBatch.
 */
export function splitMultipart(body: Buffer, boundary: string): Part[] {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const parts: Part[] = [];
  // No line break precedes the first delimiter.
  let at = body.indexOf(delimiter.subarray(2));
  if (at < 0) throw new InvalidBatch('The multipart body does not contain its boundary');
  at += delimiter.length - 2;
  while (body.toString('latin1', at, at + 2) !== '--') {
    const start = body.indexOf('\r\n', at) + 2;
    const headEnd = start < 2 ? -1 : body.indexOf('\r\n\r\n', start - 2);
    const end = headEnd < 0 ? -1 : body.indexOf(delimiter, headEnd + 2);
    if (end < 0) throw new InvalidBatch('The multipart body is truncated');
    if (headEnd - start > MAX_HEAD_BYTES) throw new InvalidBatch('The headers of a part are too large');
    const head = body.toString('latin1', start, headEnd);
    const name = NAME.exec(head)?.[1];
    if (name === undefined) throw new InvalidBatch('A part has no name');
    if (parts.length >= MAX_PARTS) throw new InvalidBatch(`More than ${MAX_PARTS} parts`);
    const type = exactText(TYPE.exec(head)?.[1] ?? '');
    parts.push({
      name: unescaped(exactText(name)),
      type: type.trim().toLowerCase(),
      body: body.subarray(headEnd + 4, end),
      file: fileOf(head),
    });
    at = end + delimiter.length;
  }
  return parts;
}

/** The text of bytes read as latin1. Throws InvalidBatch. */
function exactText(latin1: string): string {
  if (ASCII.test(latin1)) return latin1;
  const bytes = Buffer.from(latin1, 'latin1');
  if (!isUtf8(bytes)) throw new InvalidBatch('The headers of a part are not UTF-8');
  return bytes.toString('utf8');
}

function fileOf(head: string): string | undefined {
  const name = HAS_FILE.test(head) ? FILE.exec(head)?.[1] : undefined;
  return name === undefined ? undefined : unescaped(Buffer.from(name, 'latin1').toString('utf8'));
}

const unescaped = (quoted: string): string =>
  quoted.includes('\\') ? quoted.replaceAll(/\\(.)/g, '$1') : quoted;
