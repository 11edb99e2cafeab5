import { InvalidTraces } from './invalid-traces.ts';
import { microsOf } from './otel-span.ts';

/** Reads one protobuf message of a buffer. Throws InvalidTraces past its end. */
export class WireReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;
  /** Wire type of the current field. */
  #type = 0;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** Number of the next field; 0 at the end. */
  field(): number {
    if (this.#at >= this.#end) return 0;
    const tag = this.#varint();
    this.#type = tag & 7;
    const field = Math.floor(tag / 8);
    if (field === 0) throw new InvalidTraces('Invalid protobuf: field without a number');
    return field;
  }

  /** An unsigned number; inexact beyond 53 bits. */
  uint(): number {
    this.#expect(0);
    return this.#varint();
  }

  /** A signed 64-bit number, as a string if a JavaScript number would be inexact. */
  int64(): number | string {
    const start = this.#at;
    const value = this.uint();
    if (value <= Number.MAX_SAFE_INTEGER) return value;
    let exact = 0n;
    for (let at = start, shift = 0n; at < this.#at; at++, shift += 7n)
      exact |= BigInt(this.#bytes[at]! & 127) << shift;
    const signed = BigInt.asIntN(64, exact);
    return Number.isSafeInteger(Number(signed)) ? Number(signed) : String(signed);
  }

  /** Fixed 64-bit nanoseconds, converted to microseconds. */
  nanos(): number {
    this.#expect(1);
    const start = this.#take(8);
    return microsOf(this.#bytes.readUInt32LE(start + 4), this.#bytes.readUInt32LE(start));
  }

  fixed32(): number {
    this.#expect(5);
    return this.#bytes.readUInt32LE(this.#take(4));
  }

  double(): number {
    this.#expect(1);
    return this.#bytes.readDoubleLE(this.#take(8));
  }

  text(): string {
    const length = this.#length();
    const start = this.#take(length);
    return this.#bytes.toString('utf8', start, start + length);
  }

  bytes(encoding: 'hex' | 'base64'): string {
    const length = this.#length();
    const start = this.#take(length);
    return this.#bytes.toString(encoding, start, start + length);
  }

  message(): WireReader {
    const length = this.#length();
    const start = this.#take(length);
    return new WireReader(this.#bytes, start, start + length);
  }

  /** Skips the value of the current field. */
  skip(): void {
    if (this.#type === 0) this.#varint();
    else if (this.#type === 1) this.#take(8);
    else if (this.#type === 2) this.#take(this.#length());
    else if (this.#type === 5) this.#take(4);
    else throw new InvalidTraces(`Invalid protobuf: unknown wire type ${this.#type}`);
  }

  #length(): number {
    this.#expect(2);
    return this.#varint();
  }

  #varint(): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 63; scale *= 128) {
      const byte = this.#bytes[this.#take(1)]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw new InvalidTraces('Invalid protobuf: unterminated number');
  }

  #expect(type: number): void {
    if (this.#type !== type) throw new InvalidTraces('Invalid protobuf: unexpected wire type');
  }

  #take(length: number): number {
    const start = this.#at;
    if (length > this.#end - start) throw new InvalidTraces('Invalid protobuf: truncated');
    this.#at = start + length;
    return start;
  }
}
