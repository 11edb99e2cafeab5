import { type Command, Option } from 'commander';
import { runCommand } from '../run-command.ts';

const every = (value: string, before: string[] = []): string[] => [...before, value];

/** Commands that use a platform's public API, for people and CI (docs/ci.md). */
export function addDeployCommands(program: Command): void {
  const ask = (usage: string, does: string): Command =>
    program
      .command(usage)
      .description(does)
      .option('--url <url>', 'address of the platform (SLIPWAY_URL)')
      .option('--api-key <key>', 'API key; rather set SLIPWAY_API_KEY, which no process list shows')
      .option('--tenant <id>', 'tenant to work for (SLIPWAY_TENANT_ID)')
      .option('-n, --name <name>', "deployment, by name or id; otherwise the project's or the folder's name")
      .option('--preview <name>', 'the preview of that name, a deployment of its own: <deployment>-<name>')
      .option('--json', 'print events as JSON, one a line');
  const waiting = (command: Command): Command =>
    command
      .option('--no-wait', 'do not wait until the revision has ended')
      .option('--deadline <time>', 'longest to wait, such as 90s, 15m or 1h', '15m')
      .option('--no-logs', 'tell the last lines of a failure only')
      .option('--outputs <file>', 'append deployment_id, revision_id, status and url to this file')
      .option('--interrupt-on-cancel', 'stop the revision when this command is stopped (the default in CI)')
      .option('--no-interrupt-on-cancel', 'let it go on');

  waiting(ask('deploy', 'deploy a folder, a commit or an image, and wait until it serves'))
    .argument('[folder]', 'project to upload; what .gitignore and .dockerignore name stays here', '.')
    .option('--git <url>', 'deploy from a repository instead')
    .option('--ref <ref>', 'branch, or refs/tags/…, or commit of that repository')
    .option('--image <uri>', 'deploy an image instead')
    .option('-c, --config <file>', 'graph.json within the project')
    .option('--env-file <file>', 'variables of the environment; may be repeated', every)
    .option('--env <name=value>', 'a variable; may be repeated', every)
    .option('--secret <name>', 'a variable with the value it has here; may be repeated', every)
    .option('--install-command <command>', 'instead of what the lockfile says')
    .option('--build-command <command>', 'after the installation')
    .option('--reason <text>', 'why, for the timeline; in CI the commit')
    .option('--dry-run', 'load the graphs here and send nothing')
    .action((folder: string, options) =>
      runCommand(async () => (await import('./deploy.ts')).deploy(folder, options)),
    );

  waiting(ask('status', 'tell how a revision stands, and how it got there'))
    .argument('[revision]', 'otherwise the latest')
    .addOption(new Option('--wait', 'wait until it has ended').default(false))
    .action((revision: string | undefined, options) =>
      runCommand(async () => (await import('./status.ts')).status(revision, options)),
    );

  ask('logs', 'print what building a revision said, or what it says while it runs')
    .argument('[revision]', 'otherwise the one that serves, or with --build the latest')
    .addOption(new Option('--build', 'what building it said').conflicts('runtime'))
    .option('--runtime', 'what it says while it runs (the default)')
    .option('-f, --follow', 'go on until there can be no more')
    .option('--limit <lines>', 'most lines, without --follow', '100')
    .action((revision: string | undefined, options) =>
      runCommand(async () => (await import('./logs.ts')).logs(revision, options)),
    );

  waiting(ask('rollback', 'bring back what served before, without a build'))
    .option('--to <revision>', 'this revision instead')
    .action((options) => runCommand(async () => (await import('./revision-commands.ts')).rollback(options)));

  for (const [command, does] of [
    ['promote', 'give a revision all of the traffic, without a build'],
    ['approve', 'let a revision that waits for approval go on'],
  ] as const)
    waiting(ask(command, does))
      .argument('<revision>')
      .action((revision: string, options) =>
        runCommand(async () => (await import('./revision-commands.ts'))[command](revision, options)),
      );

  ask('interrupt', 'stop a revision on its way')
    .argument('<revision>')
    .action((revision: string, options) =>
      runCommand(async () => (await import('./revision-commands.ts')).interrupt(revision, options)),
    );

  ask('delete', 'remove a deployment, or with --preview that preview, and everything of it').action(
    (options) => runCommand(async () => (await import('./revision-commands.ts')).remove(options)),
  );
}
