import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';

const run = promisify(execFile);
const TOP = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'examples/README.md', 'bench/README.md'];
const LINK = /\]\(([^)\s]+)\)/g;

const texts = new Map<string, string>();
beforeAll(async () => {
  const docs = await readdir(new URL('docs/', packageRoot), { recursive: true });
  const files = [...TOP, ...docs.filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`)];
  for (const file of files) texts.set(file, await readFile(new URL(file, packageRoot), 'utf8'));
});

/** The anchor that GitHub generates for a heading. */
function anchor(heading: string): string {
  const text = heading.replace(/[`*]/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

const withoutCode = (text: string): string => text.replace(/```[^]*?```/g, '').replace(/`[^`\n]*`/g, '``');
const anchorsOf = (text: string): string[] =>
  [...text.replace(/```[^]*?```/g, '').matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchor(heading!));

test('every link between documents resolves', () => {
  const broken: string[] = [];
  for (const [file, text] of texts) {
    for (const [, target] of withoutCode(text).matchAll(LINK)) {
      if (/^[a-z]+:/.test(target!)) continue;
      const url = new URL(target!, new URL(file, packageRoot));
      const path = decodeURI(url.pathname).slice(packageRoot.pathname.length);
      const linked = texts.get(path);
      const heading = url.hash.slice(1);
      if (!existsSync(new URL(path, packageRoot))) broken.push(`${file}: ${target}`);
      else if (heading && linked && !anchorsOf(linked).includes(heading)) broken.push(`${file}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

test('every document is reachable from the README', () => {
  const reached = new Set(['README.md']);
  for (const file of reached)
    for (const [, target] of (texts.get(file) ?? '').matchAll(LINK)) {
      if (/^[a-z]+:/.test(target!)) continue;
      reached.add(new URL(target!, new URL(file, packageRoot)).pathname.slice(packageRoot.pathname.length));
    }
  const files = [...texts.keys()].filter((file) => !file.startsWith('docs/decisions/'));
  expect(files.filter((file) => !reached.has(file))).toEqual([]);
});

/** Lines of the documents' shell blocks that run a program, without its variables and its comment. */
function commands(program: RegExp): { file: string; words: string[] }[] {
  return [...texts].flatMap(([file, text]) =>
    [...text.matchAll(/```sh\n([^]*?)```/g)]
      .flatMap(([, block]) => block!.replaceAll('\\\n', ' ').split('\n'))
      .map((line) =>
        line
          .replace(/ # .*$/, '')
          .replace(/^(?:[A-Z_]+=\S+ )+/, '')
          .trim(),
      )
      .filter((line) => program.test(line))
      .map((line) => ({ file, words: line.replace(program, '').split(/\s+/) })),
  );
}

test('every slipway command and option in documents exists', async () => {
  const help = new Map<string, string>();
  const helpOf = async (command: string): Promise<string> => {
    if (!help.has(command)) {
      const args = ['dist/bin/slipway.js', command, '--help'];
      const { stdout } = await run(process.execPath, args, { cwd: packageRoot });
      help.set(command, stdout.includes(`Usage: slipway ${command}`) ? stdout : '');
    }
    return help.get(command)!;
  };
  const used = commands(/^(?:npx (?:@slipway-dev\/)?)?slipway /);
  expect(used.length).toBeGreaterThan(10);
  const wrong: string[] = [];
  for (const { file, words } of used) {
    const [command, ...rest] = words;
    const options = rest.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.replace(/=.*/, ''));
    const known = await helpOf(command!);
    const unknown = options.filter((option) => !known.match(new RegExp(`(?<![\\w-])${option}(?![\\w-])`)));
    if (!known || unknown.length > 0) wrong.push(`${file}: slipway ${words.join(' ')}`);
  }
  expect(wrong).toEqual([]);
});

test('every npm script in documents exists', async () => {
  const { scripts } = JSON.parse(await readFile(new URL('package.json', packageRoot), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const used = commands(/^npm run /);
  expect(used.length).toBeGreaterThan(2);
  expect(used.filter(({ words }) => !scripts[words[0]!])).toEqual([]);
});
