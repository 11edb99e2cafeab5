import { expect, test } from '@jest/globals';
import { JsonText } from '../../src/platform/http/json-text.ts';

test('pieces are joined into one text of any length and script', () => {
  const items = ['', 'a', 'grüße 👋', 'ł'.repeat(700_000), 'x'.repeat(3_000_000), 'y'].map((text) =>
    JSON.stringify(text),
  );
  const text = new JsonText('{"items":[');
  for (const item of items) text.addItem(item);
  text.add(']}');
  expect(text.chunks.length).toBeGreaterThan(1);
  expect(Buffer.concat(text.chunks).toString()).toBe(`{"items":[${items.join()}]}`);
});

test('a short text is one chunk', () => {
  expect(new JsonText('[').add(']').chunks).toEqual([Buffer.from('[]')]);
  expect(Buffer.concat(new JsonText('').chunks).length).toBe(0);
});
