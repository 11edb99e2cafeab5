import { describe, expect, test } from '@jest/globals';
import { loadEncryption } from '../../src/graph-host/encryption.ts';
import { JsonCipher } from '../../src/agent-server/encryption/json-cipher.ts';

const reversed = (data: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      key === 's' ? String(value).split('').toReversed().join('') : value,
    ]),
  );
const cipher = new JsonCipher({
  encrypt: (_context, data) => reversed(data),
  decrypt: (_context, data) => reversed(data),
});
const place = { model: 'thread', field: 'metadata' };

describe('JSON', () => {
  test('values that the handler changes are encrypted in place; others stay', async () => {
    const value = { s: 'abc', o: 1, deep: [{ s: 'xyz', n: null }] };
    const sealed = await cipher.seal(value, place, { tenant: 't' });
    const mark = (text: string) => ({
      $sealed: { key: 's', value: text, ...place, context: { tenant: 't' } },
    });
    expect(sealed).toEqual({ s: mark('cba'), o: 1, deep: [{ s: mark('zyx'), n: null }] });
    expect(await cipher.open(sealed)).toEqual(value);
  });

  test('fields that the server reads are not passed to the handler', async () => {
    const given: string[] = [];
    const asking = new JsonCipher({
      encrypt: (_context, data) => {
        given.push(...Object.keys(data));
        return data;
      },
      decrypt: (_context, data) => data,
    });
    const keys = [
      'mine',
      'graph_id',
      'langgraph_request_id',
      'langgraph_auth_user',
      '__own',
      'parents',
      'ttl',
    ];
    const value = Object.fromEntries(keys.map((key) => [key, 1]));
    await asking.seal(value, place, {});
    expect(given.splice(0)).toEqual(['mine', 'langgraph_auth_user']);
    await asking.seal(value, { model: 'store', field: 'value' }, {});
    expect(given).toEqual(keys);
  });

  test('a handler that changes keys is refused', async () => {
    const wrong = new JsonCipher({ encrypt: () => ({ other: 1 }), decrypt: (_context, data) => data });
    await expect(wrong.seal({ s: 1 }, place, {})).rejects.toThrow('must keep the keys of thread.metadata');
  });
});

describe('exports of encryption.path', () => {
  const load = (exported: unknown) =>
    loadEncryption({
      config: { graphs: {}, encryption: { path: './e.ts:e' } },
      import: () => Promise.resolve(exported),
    });
  const handler = (_context: unknown, data: unknown) => data;

  test.each([
    [undefined, 'has no handlers'],
    [{ encrypt: { json: handler } }, "encrypts or decrypts 'json', but not both"],
    [{ decrypt: { blob: handler } }, "encrypts or decrypts 'blob', but not both"],
    [{ encrypt: { json: 'x' }, decrypt: { json: handler } }, "has a handler 'json' that is not a function"],
  ])('%j stops the start', async (exported, message) => {
    await expect(load(exported)).rejects.toThrow(`encryption.path: ./e.ts:e ${message}`);
  });

  test('one kind of handlers is enough, and no key means no encryption', async () => {
    const blob = { encrypt: { blob: handler }, decrypt: { blob: handler } };
    expect(await load(blob)).toEqual(blob);
    const none = { config: { graphs: {} }, import: () => Promise.reject(new Error('not asked for')) };
    expect(await loadEncryption(none)).toBeUndefined();
  });
});
