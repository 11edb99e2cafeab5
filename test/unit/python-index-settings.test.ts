import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { indexSettings } from '../../src/control-plane/builds/python/index-settings.ts';
import { writeFiles } from '../control-plane/build-setting.ts';

const HOME = mkdtempSync(join(tmpdir(), 'slipway-pip-'));
afterAll(() => rmSync(HOME, { recursive: true, force: true }));

test("uv uses pip's settings, and its own take precedence", () => {
  const pip = { PIP_INDEX_URL: 'https://a.test/simple', PIP_EXTRA_INDEX_URL: 'https://b.test/simple' };
  expect(indexSettings({ HOME, ...pip })).toMatchObject({
    ...pip,
    UV_DEFAULT_INDEX: 'https://a.test/simple',
    UV_INDEX: 'https://b.test/simple',
  });
  const own = { ...pip, UV_INDEX_URL: 'https://c.test/simple', UV_INDEX: 'https://d.test' };
  expect(indexSettings({ HOME, ...own })).toEqual(expect.objectContaining(own));
  expect(indexSettings({ HOME, ...own })).not.toHaveProperty('UV_DEFAULT_INDEX');
});

test("pip's files are read, and variables take precedence", () => {
  writeFiles(HOME, {
    '.config/pip/pip.conf':
      '[global]\nindex-url = https://a.test/simple\ntimeout = 5\n[install]\nextra-index-url =\n  https://b.test\n  https://c.test\n[list]\nindex-url = x\n',
    'other.conf': '[global]\nindex-url: https://d.test/simple\n',
  });
  expect(indexSettings({ HOME })).toMatchObject({
    UV_DEFAULT_INDEX: 'https://a.test/simple',
    UV_INDEX: 'https://b.test https://c.test',
    PIP_TIMEOUT: '5',
  });
  const named = { HOME, PIP_CONFIG_FILE: join(HOME, 'other.conf') };
  expect(indexSettings(named)).toHaveProperty('UV_DEFAULT_INDEX', 'https://d.test/simple');
  expect(indexSettings({ ...named, PIP_INDEX_URL: 'https://e.test' })).toHaveProperty(
    'UV_DEFAULT_INDEX',
    'https://e.test',
  );
});

test('missing package folders are skipped, and other variables are not passed on', () => {
  const links = { PIP_FIND_LINKS: `${HOME} /nowhere https://f.test/wheels` };
  expect(indexSettings({ HOME, ...links, DATABASE_URL: 'x', PIP_TARGET: 'x', UV_CACHE_DIR: 'x' })).toEqual(
    expect.not.objectContaining({ DATABASE_URL: 'x', PIP_TARGET: 'x', UV_CACHE_DIR: 'x' }),
  );
  expect(indexSettings({ HOME, ...links })).toHaveProperty('UV_FIND_LINKS', `${HOME},https://f.test/wheels`);
  expect(indexSettings({ HOME, PIP_FIND_LINKS: '/nowhere' })).not.toHaveProperty('UV_FIND_LINKS');
});
