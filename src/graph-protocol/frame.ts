/** Most bytes of a header and of a body (docs/contracts/graph-host.md). */
interface FrameLimits {
  header: number;
  body: number;
}
const LARGEST: FrameLimits = { header: 1024 * 1024, body: 256 * 1024 * 1024 };

const LENGTHS = 8;

/** What a frame is about; exactly one key names its kind. */
export type FrameHeader = Record<string, unknown>;

export interface Frame {
  header: FrameHeader;
  body: Buffer;
}

/** Bytes that are no frame: the connection cannot go on. */
export class BadFrame extends Error {
  override readonly name = 'BadFrame';
}

const EMPTY = Buffer.alloc(0);

/** Throws BadFrame where the other side would refuse it. */
export function encodeFrame(header: FrameHeader, body: string | Uint8Array = EMPTY): Buffer {
  const head = JSON.stringify(header);
  const headBytes = Buffer.byteLength(head);
  const bodyBytes = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  checkLengths(headBytes, bodyBytes, LARGEST);
  const frame = Buffer.allocUnsafe(LENGTHS + headBytes + bodyBytes);
  frame.writeUInt32BE(headBytes, 0);
  frame.writeUInt32BE(bodyBytes, 4);
  frame.write(head, LENGTHS);
  if (typeof body === 'string') frame.write(body, LENGTHS + headBytes);
  else frame.set(body, LENGTHS + headBytes);
  return frame;
}

/** Cuts a stream of bytes into frames. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #size = 0;
  #needed = LENGTHS;
  readonly #largest: FrameLimits;

  constructor(largest = LARGEST) {
    this.#largest = largest;
  }

  /** Bytes of a frame that is not complete. */
  get unread(): number {
    return this.#size;
  }

  /** The frames that are complete with this chunk. Throws BadFrame. */
  *push(chunk: Buffer): Generator<Frame> {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#needed) return;
    let bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#size);
    this.#needed = LENGTHS;
    while (bytes.length >= LENGTHS) {
      const [headBytes, bodyBytes] = [bytes.readUInt32BE(0), bytes.readUInt32BE(4)];
      checkLengths(headBytes, bodyBytes, this.#largest);
      const end = LENGTHS + headBytes + bodyBytes;
      if (bytes.length < end) {
        this.#needed = end;
        break;
      }
      const header = readHeader(bytes.toString('utf8', LENGTHS, LENGTHS + headBytes));
      yield { header, body: bytes.subarray(LENGTHS + headBytes, end) };
      bytes = bytes.subarray(end);
    }
    this.#chunks = bytes.length > 0 ? [bytes] : [];
    this.#size = bytes.length;
  }
}

function checkLengths(header: number, body: number, largest: FrameLimits): void {
  if (header > largest.header) throw new BadFrame(`header of ${header} bytes`);
  if (body > largest.body) throw new BadFrame(`body of ${body} bytes`);
}

function readHeader(text: string): FrameHeader {
  try {
    const header: unknown = JSON.parse(text);
    if (typeof header === 'object' && header !== null) return header as FrameHeader;
  } catch {
    // Refused below.
  }
  throw new BadFrame('header is not a JSON object');
}
