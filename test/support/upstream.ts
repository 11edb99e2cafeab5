import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

/** Answers like an agent: at once, as a stream that ends when its reader leaves, or over WebSocket. */
export interface Upstream {
  url: string;
  /** Streams whose reader has left. */
  left: number;
  /** Stops accepting requests and lets active ones finish. */
  close(): Promise<void>;
}

export async function startUpstream(name: string, port = 0): Promise<Upstream> {
  const upstream: Upstream = { url: '', left: 0, close: async () => {} };
  const server = createServer((request, response) => void answer(upstream, name, request, response));
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    if (request.url !== '/socket?a=1') {
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.send(`hello from ${name}`);
      opened.on('message', (data) => opened.send(`${name} heard ${(data as Buffer).toString()}`));
      opened.on('close', () => (upstream.left += 1));
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  upstream.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  upstream.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeIdleConnections();
      for (const socket of sockets.clients) socket.terminate();
    });
  return upstream;
}

async function answer(upstream: Upstream, name: string, request: IncomingMessage, response: ServerResponse) {
  if (request.url === '/stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let count = 0;
    const timer = setInterval(() => response.write(`data: ${count++}\n\n`), 20);
    response.on('close', () => {
      clearInterval(timer);
      upstream.left += 1;
    });
    return;
  }
  if (request.url === '/not-implemented') return void response.writeHead(501).end();
  if (request.url?.startsWith('/sends-to?')) {
    const { searchParams } = new URL(request.url, upstream.url);
    const status = Number(searchParams.get('status'));
    return void response.writeHead(status, { location: searchParams.get('location')! }).end();
  }
  if (request.url === '/disconnects-slow-readers') {
    response.writeHead(200);
    const timer = setInterval(() => {
      response.write(Buffer.alloc(1_000_000));
      if (response.writableLength > 2_000_000) response.destroy();
    }, 10);
    response.on('close', () => {
      clearInterval(timer);
      upstream.left += 1;
    });
    return;
  }
  if (request.url === '/cut') {
    response.writeHead(200, { 'content-length': 100 });
    response.write('half');
    setTimeout(() => response.destroy(), 50);
    return;
  }
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) bytes += chunk.length;
  if (request.url === '/large') {
    response.end(Buffer.alloc(20_000_000, 'x'));
    return;
  }
  if (request.url === '/slow') await new Promise((resolve) => setTimeout(resolve, 300));
  response.writeHead(request.method === 'POST' ? 201 : 200, {
    'content-type': 'application/json',
    location: '/threads/1/runs/2',
    'content-location': '/threads/1',
    'set-cookie': ['slipway=mine; Path=/', 'a=1; Domain=agents.test', 'b=2; Path=/'],
    'clear-site-data': '"cookies"',
    refresh: '0; url=https://evil.example',
    'strict-transport-security': 'max-age=1',
    'sec-session-registration': '(ES256);path="/session"',
    'x-accel-redirect': '/internal/file',
    'x-sendfile': '/etc/passwd',
  });
  response.end(JSON.stringify({ name, bytes, url: request.url, headers: request.headers }));
}
