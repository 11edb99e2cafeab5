import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from '@jest/globals';

const CHAT = { id: 'c-1', created: 1, model: 'gpt-5-mini-2025-08-07' };
const CHAT_USAGE = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const MESSAGE = { id: 'm-1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5-20250929' };
const MESSAGE_USAGE = {
  input_tokens: 10,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 30,
  output_tokens: 5,
};

const chunk = (delta: object, finish_reason: string | null = null) => ({
  data: { ...CHAT, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] },
});

/** A model provider's fixed responses by path, whole and streamed. */
const ANSWERS: Record<string, { whole: object; pieces: { event?: string; data: unknown }[] }> = {
  '/v1/chat/completions': {
    whole: {
      ...CHAT,
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello there' }, finish_reason: 'stop' }],
      usage: CHAT_USAGE,
    },
    pieces: [chunk({ role: 'assistant', content: 'hello ' }), chunk({ content: 'there' }), chunk({}, 'stop')],
  },
  '/v1/responses': {
    whole: {
      id: 'r-1',
      object: 'response',
      created_at: 1,
      model: CHAT.model,
      status: 'completed',
      output: [
        {
          id: 'o-1',
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'hello there', annotations: [] }],
        },
      ],
      usage: {
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 4 },
        output_tokens: 2,
        total_tokens: 12,
      },
    },
    pieces: [],
  },
  '/v1/messages': {
    whole: {
      ...MESSAGE,
      content: [{ type: 'text', text: 'hello there' }],
      stop_reason: 'end_turn',
      usage: MESSAGE_USAGE,
    },
    pieces: [],
  },
};

/** A model provider in this process: chat completions, responses and messages. */
export function useModelProvider(): { readonly url: string } {
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const answer = ANSWERS[request.url?.split('?', 1)[0] ?? ''];
      if (!answer) return response.writeHead(404).end();
      if (!(JSON.parse(body) as { stream?: boolean }).stream)
        return response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify(answer.whole));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const { data } of answer.pieces) response.write(`data: ${JSON.stringify(data)}\n\n`);
      return response.end('data: [DONE]\n\n');
    });
  });
  let url = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    get url() {
      return url;
    },
  };
}
