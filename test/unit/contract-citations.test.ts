import { readFile, readdir } from 'node:fs/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';

const ROOTS = ['src', 'workflows', 'activities', 'console/src', 'python', 'test', 'migrations'];
const CONTRACTS = ['agent-server', 'control-plane', 'tracing'] as const;
type Contract = (typeof CONTRACTS)[number];

/** A citation names its contract (`tracing contract §1.11`), or refers to its folder's contract. */
const CITATION = /(?:(agent-server|control-plane|tracing) )?contract\s+((?:§[\d.]+(?:, |, and | and )?)+)/gi;

interface Citation {
  file: string;
  contract: Contract;
  section: string;
}

function contractOf(file: string): Contract {
  if (/(^|\/)tracing\//.test(file)) return 'tracing';
  if (/(^|\/)(control-plane|deploy-client|drivers|deployments)\//.test(file)) return 'control-plane';
  return 'agent-server';
}

/** Comments span several lines: their decoration must not hide a citation. */
function withoutCommentMarks(text: string): string {
  return text.replace(/\n\s*(?:\*|\/\/|#|--) ?/g, ' ');
}

async function citations(): Promise<Citation[]> {
  const found: Citation[] = [];
  for (const root of ROOTS) {
    for (const entry of await readdir(new URL(root, packageRoot), { recursive: true })) {
      if (!/\.(tsx?|py|sql)$/.test(entry) || entry.endsWith('contract-citations.test.ts')) continue;
      const file = `${root}/${entry}`;
      const text = withoutCommentMarks(await readFile(new URL(file, packageRoot), 'utf8'));
      for (const [, named, sections] of text.matchAll(CITATION)) {
        const contract = (named?.toLowerCase() as Contract | undefined) ?? contractOf(file);
        for (const [section] of sections!.matchAll(/\d+(?:\.\d+)*/g)) found.push({ file, contract, section });
      }
    }
  }
  return found;
}

const sections: Partial<Record<Contract, string[]>> = {};
let cited: Citation[];

beforeAll(async () => {
  for (const contract of CONTRACTS) {
    const text = await readFile(new URL(`docs/contracts/${contract}.md`, packageRoot), 'utf8');
    sections[contract] = [...text.matchAll(/^#+ (\d+(?:\.\d+)*)/gm)].map(([, number]) => number!);
  }
  cited = await citations();
});

test('every contract section that code cites exists', () => {
  expect(cited.length).toBeGreaterThan(200);
  expect(cited.filter(({ contract, section }) => !sections[contract]!.includes(section))).toEqual([]);
});

test('contracts cite only existing sections', async () => {
  for (const contract of CONTRACTS) {
    const text = await readFile(new URL(`docs/contracts/${contract}.md`, packageRoot), 'utf8');
    const own = [...text.matchAll(/(?<!RFC \d+ )§(\d+(?:\.\d+)*)/g)].map(([, number]) => number!);
    expect({ contract, missing: own.filter((number) => !sections[contract]!.includes(number)) }).toEqual({
      contract,
      missing: [],
    });
  }
});
