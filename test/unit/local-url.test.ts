import { expect, test } from '@jest/globals';
import { localUrl } from '../../src/bin/banner.ts';
import { originOf } from '../../src/platform/network-address.ts';

test.each([
  ['127.0.0.1', 'http://localhost'],
  ['0.0.0.0', 'http://localhost'],
  ['::', 'http://localhost'],
  ['::1', 'http://localhost'],
  ['localhost', 'http://localhost'],
  ['127.0.0.2', 'http://127.0.0.2'],
  ['fd00::1', 'http://[fd00::1]'],
  ['agents.example.com', 'http://agents.example.com'],
])('a server that listens on %s has a URL that people can open', (host, url) => {
  expect(localUrl(originOf(host, 8080))).toBe(`${url}:8080`);
});
