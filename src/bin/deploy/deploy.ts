import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findCiJob } from '../../deploy-client/ci-job.ts';
import { accepted, deploy as deployRevision } from '../../deploy-client/deploy.ts';
import { nameOf } from '../../deploy-client/deployment-name.ts';
import { readDuration } from '../../deploy-client/duration.ts';
import { type EnvironmentOptions, readEnvironment } from '../../deploy-client/environment-options.ts';
import { Misused } from '../../deploy-client/outcome.ts';
import { type Report, type Result, writeOutputs } from '../../deploy-client/progress.ts';
import { packProject } from '../../deploy-client/project-archive.ts';
import type { RevisionRequest } from '../../deploy-client/submit-revision.ts';
import { watchRevision } from '../../deploy-client/watch-revision.ts';
import { askPlatform, type Client, type ClientOptions } from './client-command.ts';

export interface WaitOptions extends ClientOptions {
  wait: boolean;
  deadline: string;
  logs: boolean;
  outputs?: string;
  interruptOnCancel?: boolean;
}

export interface DeployOptions extends WaitOptions, EnvironmentOptions {
  git?: string;
  ref?: string;
  image?: string;
  config?: string;
  installCommand?: string;
  buildCommand?: string;
  dryRun?: boolean;
  reason?: string;
}

/** Makes a revision of a folder, a commit or an image. */
export async function deploy(folder = '.', options: DeployOptions): Promise<void> {
  if (options.dryRun) return preflight(folder, options);
  await askPlatform(options, async (client) => {
    if (!options.git && !options.image) {
      // Imported late, because it loads the agent server's configuration.
      const { checkProject } = await import('./project-check.ts');
      for (const message of await checkProject(folder, options)) client.report({ event: 'warn', message });
    }
    const request = await readRequest(folder, options);
    return settle(client, options, (waiting) => deployRevision(client.api, request, waiting));
  });
}

/** Watches a revision as the options ask. Returns the exit code. */
export const follow = (
  client: Client,
  options: WaitOptions,
  made: { deployment_id: string; revision_id: string },
): Promise<number> =>
  settle(client, options, (waiting) =>
    waiting.waits ? watchRevision(client.api, { ...waiting, ...made }) : accepted(client.api, made),
  );

interface Waiting {
  waits: boolean;
  followsLogs: boolean;
  deadlineMs: number;
  report: Report;
  cancel: AbortSignal | undefined;
}

async function settle(
  { report }: Client,
  options: WaitOptions,
  work: (waiting: Waiting) => Promise<Result>,
): Promise<number> {
  const interrupts = options.interruptOnCancel ?? findCiJob(process.env) !== undefined;
  const result = await work({
    waits: options.wait,
    followsLogs: options.logs,
    deadlineMs: readDuration(options.deadline),
    report,
    cancel: interrupts ? cancelled() : undefined,
  });
  report(result);
  if (options.outputs) await writeOutputs(options.outputs, result);
  return result.exit_code;
}

/** Aborts on Ctrl-C or the end of a CI job; a second signal exits at once. */
function cancelled(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

async function readRequest(folder: string, options: DeployOptions): Promise<RevisionRequest> {
  const { git, ref, image, config, installCommand, buildCommand, preview } = options;
  if (git && image) throw new Misused('--git and --image cannot be combined');
  if (ref && !git) throw new Misused('--ref requires --git');
  const job = findCiJob(process.env);
  const source = git ? 'git_host' : image ? 'external_container' : 'internal_source';
  if (image && (config || installCommand || buildCommand))
    throw new Misused(
      '--config, --install-command and --build-command do not apply to an image, which is already built',
    );
  if (source !== 'internal_source' && !options.name) throw new Misused('--git and --image require --name');
  return {
    name: await nameOf({ name: options.name, folder, preview }),
    source,
    source_config: {
      ...(git && { repo_url: git }),
      ...(installCommand && { install_command: installCommand }),
      ...(buildCommand && { build_command: buildCommand }),
    },
    source_revision_config: {
      ...(ref && { repo_ref: ref }),
      ...(config && { graph_config_path: config }),
      ...(image && { image_uri: image }),
    },
    secrets: await readEnvironment(options, process.env),
    reason: options.reason ?? job?.reason,
    is_preview: preview !== undefined,
    archive: source === 'internal_source' ? await packProject(folder) : undefined,
    job: job?.id,
  };
}

/** Finds what a build would refuse, without sending anything. */
async function preflight(folder: string, { git, image, config }: DeployOptions): Promise<void> {
  if (git || image) throw new Misused('--dry-run requires a folder');
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new Misused(`${folder}: no such folder`);
  const { content, files, sha256 } = await packProject(folder);
  console.error(`${files} files, ${content.length} bytes (sha256 ${sha256.slice(0, 12)}) would be uploaded`);
  // Imported late, because it loads the graph engine.
  const { check } = await import('../check.ts');
  await check({ config: config ? join(folder, config) : folder });
}
