import { createInterface } from 'node:readline/promises';

/** Asks at the terminal for what the command line leaves open. */
export async function askForProject(
  folder: string | undefined,
  { python }: { python?: boolean },
): Promise<{ folder: string; python: boolean }> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return {
      folder: folder ?? ((await terminal.question('Folder (my-agent): ')).trim() || 'my-agent'),
      python: python ?? /^p/i.test((await terminal.question('TypeScript or Python (TypeScript): ')).trim()),
    };
  } finally {
    terminal.close();
  }
}
