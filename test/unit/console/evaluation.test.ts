import { expect, test } from '@jest/globals';
import { brief } from '../../../console/src/pages/datasets/brief.ts';
import { changeOf, latencyChange, summariesOf } from '../../../console/src/pages/datasets/scores.ts';
import { readManifest, splitVariables } from '../../../console/src/pages/prompts/read-manifest.ts';
import { meantBy } from '../../../console/src/pages/printed/addresses.ts';
import { isPageOfPath } from '../../../src/bin/console-service.ts';

const ID = '01a20292-acb0-7389-bc4d-d3b1856bd2e7';
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test.each([
  ['/datasets', BROWSER, true],
  [`/datasets/${ID}`, BROWSER, true],
  [`/datasets/${ID}/compare`, BROWSER, true],
  [`/datasets/${ID}/e/${ID}`, BROWSER, true],
  [`/public/${ID}/r`, BROWSER, true],
  [`/public/${ID}/d`, BROWSER, true],
  [`/datasets/${ID}/versions`, BROWSER, false],
  [`/public/${ID}/runs`, BROWSER, false],
  [`/api/v1/datasets/${ID}`, BROWSER, false],
  [`/datasets/${ID}`, { accept: '*/*' }, false],
  [`/datasets/${ID}`, {}, false],
  // Some libraries always list HTML first in Accept.
  [`/datasets/${ID}`, { ...BROWSER, 'x-api-key': 'k' }, false],
  [`/datasets/${ID}`, { ...BROWSER, authorization: 'Bearer k' }, false],
])('%s asked with %j is a page: %s', (path, headers, isPage) => {
  expect(isPageOfPath(path, headers)).toBe(isPage);
});

test.each([
  ['/o/t/projects/p/P', '/traces/P', 't'],
  ['/o/t/projects/p/P/r/R', '/traces/runs/R', 't'],
  ['/projects/P/runs/R', '/traces/runs/R', undefined],
  ['/o/t/datasets/D', '/datasets/D', 't'],
  ['/o/t/datasets/D/compare', '/datasets/D/compare', 't'],
  ['/o/t/datasets/D/e/E', '/datasets/D?example=E', 't'],
  ['/datasets/D/e/E', '/datasets/D?example=E', undefined],
  ['/o/t/host/deployments/X', '/deployments/X', 't'],
])('%s, as clients print it, means %s', (printed, page, tenantId) => {
  expect(meantBy(printed)).toEqual({ page, tenantId });
});

test('invisible characters are ignored', () => {
  expect(meantBy('/o/t/billing')).toBeUndefined();
});

test.each([
  [{ country: 'Norway' }, 'Norway'],
  [{ a: 1, b: 2 }, '{"a":1,"b":2}'],
  [null, ''],
  [
    {
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Hello' },
      ],
      id: 7,
    },
    'Hello',
  ],
  [
    { messages: [{ content: [{ type: 'text', text: 'one' }, { type: 'image' }, { text: 'two' }] }] },
    'one two',
  ],
])('%j is in few words %j', (value, words) => {
  expect(brief(value)).toBe(words);
});

test('numbers compare to the first as better, worse or equal, and times only beyond a threshold', () => {
  expect([changeOf(0.5, 1, false), changeOf(0.5, 1, true)]).toEqual(['better', 'worse']);
  expect([changeOf(0.1 + 0.2, 0.3, false), changeOf(null, 1, false)]).toEqual(['same', undefined]);
  expect([latencyChange(1_000, 1_050), latencyChange(1_000, 500), latencyChange(1, 5)]).toEqual([
    'same',
    'better',
    'same',
  ]);
});

test('repetitions show their mean or most frequent value', () => {
  const stats = (avg: number | null, values = {}) => ({ n: 1, avg, values, comments: [] });
  expect(
    summariesOf([
      { feedback_stats: { right: stats(1), tone: stats(null, { kind: 1 }) } },
      { feedback_stats: { right: stats(0), tone: stats(null, { rude: 2 }) } },
    ]),
  ).toEqual([
    { key: 'right', score: 0.5, text: '0.5' },
    { key: 'tone', score: null, text: 'rude' },
  ]);
});

test('a manifest is parsed as messages with its model', () => {
  const made = (name: string, kwargs: object) => ({
    lc: 1,
    type: 'constructor',
    id: ['langchain', name],
    kwargs,
  });
  const template = (text: string) => made('PromptTemplate', { template: text });
  const prompt = made('ChatPromptTemplate', {
    messages: [
      made('SystemMessagePromptTemplate', { prompt: template('Be {tone}.') }),
      made('MessagesPlaceholder', { variable_name: 'history' }),
      made('HumanMessagePromptTemplate', { prompt: [template('See'), template('{picture}')] }),
      made('AIMessage', { content: 'Well.' }),
      made('ChatMessagePromptTemplate', { role: 'user', prompt: template('Go on') }),
    ],
  });
  const model = made('ChatOpenAI', { model: 'gpt-4o' });
  expect(readManifest(made('RunnableSequence', { first: prompt, last: model }))).toEqual({
    messages: [
      { role: 'System', text: 'Be {tone}.' },
      { role: 'Messages', text: '{history}' },
      { role: 'User', text: 'See\n{picture}' },
      { role: 'Assistant', text: 'Well.' },
      { role: 'User', text: 'Go on' },
    ],
    model,
  });
  expect(readManifest(template('Say {it}'))).toMatchObject({
    messages: [{ role: 'Prompt', text: 'Say {it}' }],
  });
  expect(readManifest({ files: {} })).toBeUndefined();
});

test('variables are distinguished from literal braces', () => {
  expect(splitVariables('A {one} and {{two}}, as {{"json": 1}}')).toEqual([
    'A ',
    '{one}',
    ' and ',
    '{{two}}',
    ', as {{"json": 1}}',
  ]);
});
