import { connect } from 'node:net';
import { PATIENCE_MS } from './until.ts';

/** Sends bytes that no HTTP client would. Resolves with the response, up to the end of a JSON object. */
export async function sendRaw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  socket.on('error', () => {});
  socket.write(Buffer.from(bytes, 'latin1'));
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (text.endsWith('}')) socket.destroy();
  });
  return new Promise((resolve) => socket.once('close', () => resolve(text)));
}
