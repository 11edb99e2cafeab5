#!/usr/bin/env node
import './heap.ts';
import { readFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { packageRoot } from '../platform/package-root.ts';
import { addDeployCommands } from './deploy/program.ts';
import type { InitOptions } from './init.ts';
import { runCommand } from './run-command.ts';

const { version, description } = JSON.parse(await readFile(new URL('package.json', packageRoot), 'utf8')) as {
  version: string;
  description: string;
};

const EXIT_USAGE = 2;

const program = new Command('slipway')
  .version(version)
  .description(description)
  .showHelpAfterError()
  // Set first, because commands inherit it.
  .exitOverride(({ exitCode }) => process.exit(exitCode && EXIT_USAGE));

program
  .command('up')
  .description('start the platform on this machine and deploy the example agents')
  .option('--host <address>', 'address to listen on (env: HOST; default: 127.0.0.1)')
  .option('--port <port>', 'port to listen on (env: PORT; default: 8080)')
  .action((options: object) => runCommand(async () => (await import('./up.ts')).up(options)));

program
  .command('init')
  .description('create an agent project with a tool, an approval and a test, in TypeScript or Python')
  .argument('[folder]', 'new or empty folder (default: my-agent)')
  .option('--python', 'create a Python project')
  .option('-y, --yes', 'do not prompt')
  .option('--no-install', 'do not run npm install')
  .action((folder: string | undefined, options: InitOptions) =>
    runCommand(async () => (await import('./init.ts')).init(folder, options)),
  );

program
  .command('serve')
  .description('run the agent server of a project')
  .option('-c, --config <file>', 'graph.json of the project; otherwise graph.json or langgraph.json here')
  .option('--host <address>', 'address to listen on (env: HOST; default: 127.0.0.1)')
  .option('--port <port>', 'port to listen on (env: PORT; default: 2024)')
  .addOption(
    new Option('--role <role>', 'role of this process').choices(['all', 'api', 'worker']).default('all'),
  )
  .option('--watch', 'restart when a file of the project changes')
  .option(
    '--inspect [port]',
    "open Node's inspector in the process that runs the graphs (default port: 9229)",
  )
  .option(
    '--debug-port <port>',
    "start the project's debugpy on this port in the process that runs the graphs",
  )
  .action((options: object) => runCommand(async () => (await import('./serve.ts')).serve(options)));

for (const [name, role, does] of [
  ['platform', 'all', 'run the platform: API, gateway and workers in one process'],
  ['api', 'api', "run the platform's API and gateway"],
  ['worker', 'worker', "run the platform's workers, which build and deploy"],
] as const) {
  const command = program.command(name).description(does);
  if (role !== 'worker')
    command
      .option('--host <address>', 'address to listen on (env: HOST; default: 127.0.0.1)')
      .option('--port <port>', 'port to listen on (env: PORT; default: 8080)');
  command.action((options: object) =>
    runCommand(async () => (await import('./platform.ts')).platform({ ...options, role })),
  );
}

program
  .command('check')
  .description('load the graphs of a project and report problems')
  .option('-c, --config <file>', 'graph.json of the project; otherwise graph.json or langgraph.json here')
  .action((options: object) => runCommand(async () => (await import('./check.ts')).check(options)));

program
  .command('host')
  .description(
    'run the graphs of a project for an agent server in another container (env: SLIPWAY_HOST_ADDRESS)',
  )
  .option('-c, --config <file>', 'graph.json of the project; otherwise graph.json or langgraph.json here')
  .action((options: object) => runCommand(async () => (await import('./host.ts')).host(options)));

program
  .command('fetch-artifact', { hidden: true })
  .description('download an artifact from SLIPWAY_ARTIFACT_URL; run by pods before they start')
  .requiredOption('--artifact <digest>', 'expected digest')
  .requiredOption('--into <folder>', 'target folder')
  .action((options: { artifact: string; into: string }) =>
    runCommand(async () => (await import('./fetch-artifact.ts')).fetchArtifact(options)),
  );

program
  .command('machine', { hidden: true })
  .description('print addresses and DNS servers of this machine; workers run it on the machine of an engine')
  .action(() => runCommand(async () => (await import('./machine.ts')).machine()));

program
  .command('reach', { hidden: true })
  .description('try TCP connections; shows what the fence of a container allows')
  .argument('<targets>', 'JSON list of [host, port]')
  .action((targets: string) => runCommand(async () => (await import('./reach.ts')).reach(targets)));

program
  .command('migrate')
  .description('migrate the database to this version and exit')
  .option('--json', 'print the names of applied migrations as JSON')
  .action((options: object) => runCommand(async () => (await import('./migrate.ts')).migrate(options)));

program
  .command('doctor')
  .description('report what is missing on this machine, and which features that disables')
  .option('--json', 'print the findings as JSON')
  .action((options: object) => runCommand(async () => (await import('./doctor.ts')).doctor(options)));

addDeployCommands(program);

await program.parseAsync();
