import { expect, test } from '@jest/globals';
import { readRepositories, repositoryLines } from '../../../console/src/pages/workspace/repository-lines.ts';

const LINES = `https://github.com/acme/agent.git
git@gitlab.example.com:acme/agents/support.git next
ssh://git@git.example.com:2222/acme/agent`;

test('a line has a repository, and its branch unless that is main', () => {
  const read = readRepositories(`${LINES}\n\n`);
  expect(read.map(({ owner, name, default_branch }) => [owner, name, default_branch])).toEqual([
    ['acme', 'agent', 'main'],
    ['acme/agents', 'support', 'next'],
    ['acme', 'agent', 'main'],
  ]);
  expect(repositoryLines(read)).toBe(LINES);
});

test.each(['nowhere', 'https://github.com', 'https://github.com/acme', 'https://github.com/a/b main more'])(
  '%p is no repository',
  (text) => {
    expect(() => readRepositories(`https://github.com/acme/agent\n${text}`)).toThrow('line 2');
  },
);
