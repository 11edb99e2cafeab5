import { InvalidProject } from '../../graph-protocol/invalid-project.ts';

type Settled<Parts> = { -readonly [Key in keyof Parts]: Awaited<Parts[Key]> };

/** Waits for all parts of a project. Throws one InvalidProject that lists all problems. */
export async function loadAll<const Parts extends readonly unknown[]>(parts: Parts): Promise<Settled<Parts>> {
  const outcomes = await Promise.allSettled(parts);
  const problems: string[] = [];
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    if (!(outcome.reason instanceof InvalidProject)) throw outcome.reason;
    problems.push(outcome.reason.message);
  }
  if (problems.length > 0) throw new InvalidProject(problems.join('\n'));
  return Promise.all(parts);
}
