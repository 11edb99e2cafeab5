import { createInterface } from 'node:readline/promises';

/** Name of a project, and of its folder, unless another is chosen. Templates contain it. */
export const DEFAULT_NAME = 'my-agent';

/** Asks at the terminal for what the command line leaves open. */
export async function askForProject(
  folder: string | undefined,
  { python }: { python?: boolean },
): Promise<{ folder: string; python: boolean }> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return {
      folder: folder ?? ((await terminal.question(`Folder (${DEFAULT_NAME}): `)).trim() || DEFAULT_NAME),
      python: python ?? /^p/i.test((await terminal.question('TypeScript or Python (TypeScript): ')).trim()),
    };
  } finally {
    terminal.close();
  }
}
