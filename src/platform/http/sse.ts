import type { Context } from 'koa';

export interface SseOptions {
  /** Heartbeat interval in ms (contract §6.1). */
  heartbeatMs: number;
  /** A reader that lags by more than this many bytes is disconnected. */
  limitBytes: number;
  onClose(): void;
}

export interface SseEvent {
  event: string;
  /** One line of JSON. */
  data: string;
  id?: string;
}

const oneLine = (text: string): string => (/[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, '') : text);

/** A server-sent event stream. Disconnects slow readers instead of buffering without bound. */
export class SseStream {
  readonly #ctx: Context;
  readonly #options: SseOptions;
  readonly #heartbeat: NodeJS.Timeout;
  #closed = false;

  constructor(ctx: Context, options: SseOptions) {
    this.#ctx = ctx;
    this.#options = options;
    const { res } = ctx;
    ctx.status = 200;
    ctx.set({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'keep-alive',
      'x-accel-buffering': 'no',
    });
    ctx.respond = false;
    res.writeHead(200);
    res.flushHeaders();
    res.on('close', () => this.#close());
    res.on('error', () => this.#close());
    this.#heartbeat = setInterval(() => this.#write(': heartbeat\n\n'), options.heartbeatMs);
  }

  send(events: SseEvent[]): void {
    let text = '';
    for (const { event, data, id } of events) {
      text += `event: ${oneLine(event)}\ndata: ${data}\n${id === undefined ? '' : `id: ${oneLine(id)}\n`}\n`;
    }
    if (text) this.#write(text);
  }

  end(): void {
    if (this.#closed) return;
    this.#close();
    this.#ctx.res.end();
  }

  #write(text: string): void {
    const { res } = this.#ctx;
    if (this.#closed || res.destroyed) return;
    res.write(text);
    if (res.writableLength <= this.#options.limitBytes) return;
    const failure = { error: 'SlowReader', message: 'The reader fell too far behind the stream' };
    res.write(`event: error\ndata: ${JSON.stringify(failure)}\n\n`);
    this.#close();
    res.destroy();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#heartbeat);
    this.#options.onClose();
  }
}
