/** Rejected spans or log records, with the reason. */
export interface PartialSuccess {
  rejected: number;
  message: string;
}

/** The export response in JSON, where 64-bit numbers are strings. */
export const jsonResponse = (
  { rejected, message }: PartialSuccess,
  counter: 'rejectedSpans' | 'rejectedLogRecords',
): object =>
  rejected === 0 ? {} : { partialSuccess: { [counter]: String(rejected), errorMessage: message } };

/** The same in protobuf: `partial_success = 1 { rejected_… = 1; error_message = 2 }`. */
export function protobufResponse({ rejected, message }: PartialSuccess): Buffer {
  if (rejected === 0) return Buffer.alloc(0);
  const text = Buffer.from(message);
  const partial = Buffer.concat([
    Buffer.from([0x08, ...varint(rejected), 0x12, ...varint(text.length)]),
    text,
  ]);
  return Buffer.concat([Buffer.from([0x0a, ...varint(partial.length)]), partial]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}
