import { duplexPair } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { Channel, type Handlers } from '../../src/graph-protocol/channel.ts';
import type { Exchange } from '../../src/graph-protocol/exchange.ts';
import { encodeFrame, FrameReader } from '../../src/graph-protocol/frame.ts';

function connect(handlers: Handlers): { caller: Channel; callee: Channel } {
  const [ours, theirs] = duplexPair();
  const describeError = (error: unknown) => ({
    error: (error as Error).name,
    message: (error as Error).message,
    status: 418,
  });
  return {
    caller: new Channel(ours, { handlers: {}, describeError }),
    callee: new Channel(theirs, { handlers, describeError }),
  };
}

async function* pieces(count: number, bytes: number): AsyncGenerator<Buffer> {
  for (let i = 0; i < count; i++) yield Buffer.alloc(bytes, i);
}

describe('frames', () => {
  test('are parsed from chunks of any size', () => {
    const bodies = ['', 'ü', 'x'.repeat(70_000)];
    const bytes = Buffer.concat(bodies.map((body, i) => encodeFrame({ data: i }, body)));
    for (const size of [1, 7, 4_096, bytes.length]) {
      const reader = new FrameReader();
      const found: string[] = [];
      for (let at = 0; at < bytes.length; at += size)
        for (const { body } of reader.push(bytes.subarray(at, at + size))) found.push(body.toString());
      expect(found).toEqual(bodies);
    }
  });

  test('end the connection if they are too long or not JSON', async () => {
    for (const bad of [Buffer.from('ffffffff00000000', 'hex'), Buffer.from('00000001000000007b', 'hex')]) {
      const [ours, theirs] = duplexPair();
      const channel = new Channel(ours, { handlers: {}, describeError: () => ({}) });
      const pending = channel.call('never');
      theirs.write(bad);
      await expect(pending).rejects.toThrow('header');
      expect((await channel.closed).name).toBe('BadFrame');
    }
  });
});

describe('calls', () => {
  test('are answered, each with its own result or error', async () => {
    const { caller } = connect({
      double: ({ n }: { n: number }) => n * 2,
      fail: () => {
        throw new TypeError('no');
      },
    });
    const doubles = Array.from({ length: 50 }, (_, n) => caller.call('double', { n }));
    await expect(Promise.all(doubles)).resolves.toEqual(Array.from({ length: 50 }, (_, n) => n * 2));
    await expect(caller.call('fail')).rejects.toMatchObject({
      name: 'TypeError',
      message: 'no',
      details: { status: 418 },
    });
    await expect(caller.call('toString')).rejects.toThrow('there is no method toString');
  });

  test('fail when the connection is lost', async () => {
    const { caller } = connect({ hang: () => new Promise(() => {}) });
    const pending = caller.call('hang');
    caller.close();
    await expect(pending).rejects.toMatchObject({ name: 'ConnectionLost' });
    await expect(caller.call('hang')).rejects.toMatchObject({ name: 'ConnectionLost' });
  });

  test('still respond after a cancellation', async () => {
    const { caller } = connect({
      wait: async (_: object, { signal }: Exchange) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return signal.reason as string;
      },
    });
    const stop = new AbortController();
    const answer = caller.call('wait', {}, { signal: stop.signal });
    stop.abort('timeout');
    await expect(answer).resolves.toBe('timeout');
  });

  test('pause their output for a slow caller', async () => {
    let sent = 0;
    const { caller } = connect({
      stream: async (_: object, exchange: Exchange) => {
        for (; sent < 100; sent++) await exchange.send('piece', Buffer.alloc(100_000));
      },
    });
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    let taken = 0;
    const done = caller.call('stream', {}, { onData: () => (taken++ === 0 ? gate : undefined) });
    await sleep(50);
    expect(sent).toBeLessThan(12);
    release();
    await done;
    expect(taken).toBe(100);
  });

  test('send input only on request, completely and in order', async () => {
    let read = 0;
    const { caller } = connect({
      ignore: () => 'untouched',
      read: async (_: object, exchange: Exchange) => {
        for await (const piece of exchange.read()) {
          if (piece[0] !== read++ % 256) throw new Error('out of order');
        }
        return read;
      },
    });
    let asked = false;
    async function* watched() {
      asked = true;
      yield* pieces(1, 10);
    }
    await expect(caller.call('ignore', {}, { input: watched() })).resolves.toBe('untouched');
    expect(asked).toBe(false);
    await expect(caller.call('read', {}, { input: pieces(300, 20_000) })).resolves.toBe(300);
  });
});
