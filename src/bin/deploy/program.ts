import { type Command, Option } from 'commander';
import { runCommand } from '../run-command.ts';

const every = (value: string, before: string[] = []): string[] => [...before, value];

/** Commands that use a platform's public API, for people and CI (docs/ci.md). */
export function addDeployCommands(program: Command): void {
  const ask = (usage: string, does: string): Command =>
    program
      .command(usage)
      .description(does)
      .option('--url <url>', 'URL of the platform (env: SLIPWAY_URL)')
      .option('--api-key <key>', 'API key (env: SLIPWAY_API_KEY, which hides it from process listings)')
      .option('--tenant <id>', 'tenant to use (env: SLIPWAY_TENANT_ID)')
      .option('-n, --name <name>', 'name or id of the deployment (default: name of the project or folder)')
      .option('--preview <name>', 'use a preview, a separate deployment named <deployment>-<name>')
      .option('--json', 'print events as JSON lines');
  const waiting = (command: Command): Command =>
    command
      .option('--no-wait', 'do not wait for the outcome of the revision')
      .option('--deadline <time>', 'maximum time to wait, such as 90s, 15m or 1h', '15m')
      .option('--no-logs', 'print only the last lines of a failure')
      .option('--outputs <file>', 'append deployment_id, revision_id, status and url to this file')
      .option('--interrupt-on-cancel', 'interrupt the revision when this command is stopped (default in CI)')
      .option('--no-interrupt-on-cancel', 'let the revision continue when this command is stopped');

  waiting(ask('deploy', 'deploy a folder, a commit or an image, and wait until it is active'))
    .argument('[folder]', 'project to upload, without files ignored by .gitignore and .dockerignore', '.')
    .option('--git <url>', 'deploy from a Git repository')
    .option('--ref <ref>', 'branch, refs/tags/… or commit of the repository')
    .option('--image <uri>', 'deploy an image')
    .option('-c, --config <file>', 'path of the config file in the project')
    .option('--env-file <file>', 'file with environment variables; repeatable', every)
    .option('--env <name=value>', 'environment variable; repeatable', every)
    .option('--secret <name>', 'environment variable with its local value; repeatable', every)
    .option('--install-command <command>', 'install command (default: by lockfile)')
    .option('--build-command <command>', 'command to run after the installation')
    .option('--reason <text>', 'reason, shown in the timeline (default in CI: the commit)')
    .option('--dry-run', 'load the graphs locally without uploading')
    .action((folder: string, options) =>
      runCommand(async () => (await import('./deploy.ts')).deploy(folder, options)),
    );

  waiting(ask('status', 'show the status and history of a revision'))
    .argument('[revision]', 'id (default: the latest)')
    .addOption(new Option('--wait', 'wait for its outcome').default(false))
    .action((revision: string | undefined, options) =>
      runCommand(async () => (await import('./status.ts')).status(revision, options)),
    );

  ask('logs', 'print the logs of a revision or its build')
    .argument('[revision]', 'id (default: the active one, with --build the latest)')
    .addOption(new Option('--build', 'show the build log').conflicts('runtime'))
    .option('--runtime', 'show the agent log (default)')
    .option('-f, --follow', 'keep printing new lines')
    .option('--limit <lines>', 'maximum number of lines, without --follow', '100')
    .action((revision: string | undefined, options) =>
      runCommand(async () => (await import('./logs.ts')).logs(revision, options)),
    );

  waiting(ask('rollback', 'roll back to the previous revision, without a build'))
    .option('--to <revision>', 'roll back to this revision')
    .action((options) => runCommand(async () => (await import('./revision-commands.ts')).rollback(options)));

  for (const [command, does] of [
    ['promote', 'give a revision all traffic, without a build'],
    ['approve', 'approve a revision that waits for it'],
  ] as const)
    waiting(ask(command, does))
      .argument('<revision>')
      .action((revision: string, options) =>
        runCommand(async () => (await import('./revision-commands.ts'))[command](revision, options)),
      );

  ask('interrupt', 'interrupt a revision in progress')
    .argument('<revision>')
    .action((revision: string, options) =>
      runCommand(async () => (await import('./revision-commands.ts')).interrupt(revision, options)),
    );

  ask('delete', 'delete a deployment or, with --preview, a preview').action((options) =>
    runCommand(async () => (await import('./revision-commands.ts')).remove(options)),
  );
}
