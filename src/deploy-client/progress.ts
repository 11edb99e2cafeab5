import { appendFile } from 'node:fs/promises';
import type { Outcome } from './outcome.ts';
import type { LogLine } from './records.ts';

export interface Result {
  event: 'result';
  outcome: Outcome | 'accepted';
  exit_code: number;
  deployment_id: string;
  revision_id: string;
  status: string;
  status_message: string | null;
  /** The deployment's URL; null before its first revision serves. */
  url: string | null;
  seconds: number;
}

/** Progress of a command; `--json` prints one per line. */
export type Progress =
  | { event: 'info' | 'warn'; message: string }
  | { event: 'status_change'; status: string; message: string | null; seconds: number }
  | ({ event: 'log'; phase: 'build' | 'deploy' } & LogLine)
  | Result;

export type Report = (progress: Progress) => void;

const ICON: Partial<Record<string, string>> = { warn: 'warning: ', error: 'error: ' };

/** For people: progress on standard error, and only the URL on standard output. */
export const textReport: Report = (progress) => {
  switch (progress.event) {
    case 'info':
      return console.error(progress.message);
    case 'warn':
      return console.error(`warning: ${progress.message}`);
    case 'status_change':
      return console.error(
        `${progress.seconds.toFixed(1).padStart(6)} s  ${progress.status}${progress.message ? `  ${progress.message}` : ''}`,
      );
    case 'log':
      return console.error(`          ${ICON[progress.level] ?? ''}${progress.message}`);
    case 'result':
      return printResult(progress);
  }
};

function printResult({ outcome, revision_id, status, status_message, seconds, url }: Result): void {
  const why = status_message ? `: ${status_message}` : '';
  if (outcome === 'deployed') {
    console.error(`Revision ${revision_id} is deployed (${seconds.toFixed(1)} s)`);
    if (url) console.log(url);
  } else if (outcome === 'accepted') console.error(`Revision ${revision_id} is accepted`);
  else if (outcome === 'deadline')
    console.error(`Revision ${revision_id} is still ${status} at the deadline; it continues`);
  else console.error(`Revision ${revision_id} was not deployed: ${status}${why}`);
}

/** For programs. */
export const jsonReport: Report = (progress) => console.log(JSON.stringify(progress));

/** Appends `name=value` lines, the format of GitHub's GITHUB_OUTPUT and GitLab's dotenv reports. */
export async function writeOutputs(file: string, result: Result): Promise<void> {
  const { deployment_id, revision_id, status, url } = result;
  const lines = Object.entries({ deployment_id, revision_id, status, url: url ?? '' });
  await appendFile(file, lines.map(([name, value]) => `${name}=${value}\n`).join(''));
}
