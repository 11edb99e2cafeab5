import { expect, test } from '@jest/globals';
import { textsAt } from '../../src/agent-server/store/item-texts.ts';

const item = {
  title: 'Notes',
  count: 3,
  blank: '  ',
  none: null,
  meta: { author: { name: 'Ada' }, tags: ['a', 'b', 'c'] },
  chapters: [{ text: 'one' }, { text: 'two', notes: ['n'] }, { other: 1 }],
};

test.each<[string, string[]]>([
  ['title', ['Notes']],
  ['count', ['3']],
  ['meta.author.name', ['Ada']],
  ['$.title', ['Notes']],
  ['chapters[*].text', ['one', 'two']],
  ['chapters[1].notes[0]', ['n']],
  ['meta.tags[-1]', ['c']],
  ['meta.tags[9]', []],
  ['meta.tags[x]', []],
  ['meta.*.name', ['Ada']],
  ['{title,meta.author.name}', ['Notes', 'Ada']],
  ['meta.author', ['{"name":"Ada"}']],
  ['blank', []],
  ['none', []],
  ['missing.path', []],
  ['constructor.name', []],
])('%s names %j', (path, texts) => {
  expect(textsAt(item, [path])).toEqual(texts);
});

test('the whole item is indexed as JSON, and paths add up', () => {
  expect(textsAt({ a: 1 }, ['$'])).toEqual(['{"a":1}']);
  expect(textsAt(item, ['title', 'chapters[*].text'])).toEqual(['Notes', 'one', 'two']);
});
