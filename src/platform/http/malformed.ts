import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

const STATUS: Partial<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Answers malformed HTTP requests, which reach no route, in the usual error format. */
export function answerMalformed(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Bytes sent now would become part of a response already under way.
    const { _httpMessage: underWay } = socket as Socket & { _httpMessage?: ServerResponse };
    if (!socket.writable || underWay?.headersSent) {
      socket.destroy();
      return;
    }
    const status = STATUS[error.code ?? ''] ?? 400;
    const body = JSON.stringify({ detail: STATUS_CODES[status] });
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\n` +
        `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
  });
}
