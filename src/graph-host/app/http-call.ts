import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { Exchange } from '../../graph-protocol/exchange.ts';
import type { HttpAnswer, HttpRequest, User } from '../../graph-protocol/messages.ts';
import { actingAs } from '../in-process/acting.ts';
import type { HostDeps } from '../host-deps.ts';
import { PASSED_ON } from './custom-app.ts';
import { type LeftRequest, WatchedBody } from './watched-body.ts';

/** Answers a request with the project's application, or passes it on to the server. */
export async function answerHttp(
  { app, channel }: HostDeps,
  { method, url, headers, user, admit, watch }: HttpRequest,
  exchange: Exchange,
): Promise<void> {
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = new WatchedBody(exchange.read());
  const init = { method, headers, ...(hasBody && { body: body.stream, duplex: 'half' }) };
  const request = new Request(url, init as RequestInit);
  let left: Uint8Array | undefined;
  const response = await actingAs({ user, scope: exchange.id }, () =>
    app!.fetch(
      request,
      { user },
      {
        admit: admit ? () => channel.call<User | undefined>('admit', { call: exchange.id }) : undefined,
        passOn: watch
          ? async (given: LeftRequest) => {
              left = await body.after(request, given);
            }
          : undefined,
      },
    ),
  );
  if (body.failure !== undefined) throw body.failure;
  const isTheirs =
    response.headers.has(PASSED_ON) ||
    (response.status === 404 && !watch && !app!.owns(method, new URL(url).pathname));
  if (!isTheirs) return send(exchange, response);
  const kept = [...response.headers].filter(([name]) => name !== PASSED_ON && !name.startsWith('content-'));
  const head: HttpAnswer = { headers: kept, passed_on: true, ...(left && { body: true }) };
  await exchange.send('head', JSON.stringify(head));
  if (left) await exchange.send('body', left);
}

async function send(exchange: Exchange, response: Response): Promise<void> {
  const headers: HttpAnswer['headers'] = [...response.headers].filter(([name]) => name !== 'set-cookie');
  for (const cookie of response.headers.getSetCookie()) headers.push(['set-cookie', cookie]);
  await exchange.send('head', JSON.stringify({ status: response.status, headers } satisfies HttpAnswer));
  if (!response.body) return;
  for await (const chunk of response.body as unknown as NodeStream<Uint8Array>) {
    if (exchange.signal.aborted) return;
    await exchange.send('body', chunk);
  }
}
