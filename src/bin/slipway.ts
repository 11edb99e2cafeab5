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
  .description('start everything on this machine and deploy the example agents: what npm start does')
  .option('--host <address>', 'address to listen on (HOST, 127.0.0.1)')
  .option('--port <port>', 'port to listen on (PORT, 8080)')
  .action((options: object) => runCommand(async () => (await import('./up.ts')).up(options)));

program
  .command('init')
  .description('write a new agent project: a tool, an approval and a test, in TypeScript or Python')
  .argument('[folder]', 'new or empty folder (my-agent)')
  .option('--python', 'write it in Python')
  .option('-y, --yes', 'ask nothing')
  .option('--no-install', 'do not run npm install')
  .action((folder: string | undefined, options: InitOptions) =>
    runCommand(async () => (await import('./init.ts')).init(folder, options)),
  );

program
  .command('serve')
  .description('run the agent server of a project')
  .option('-c, --config <file>', 'graph.json of the project; otherwise graph.json or langgraph.json here')
  .option('--host <address>', 'address to listen on (HOST, 127.0.0.1)')
  .option('--port <port>', 'port to listen on (PORT, 2024)')
  .addOption(
    new Option('--role <role>', 'what this process does').choices(['all', 'api', 'worker']).default('all'),
  )
  .option('--watch', 'start again when a file of the project changes')
  .option('--inspect [port]', "open Node's inspector in the process that runs the graphs (9229)")
  .option(
    '--debug-port <port>',
    "have debugpy, of the project's environment, listen in the process that runs the graphs",
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
      .option('--host <address>', 'address to listen on (HOST, 127.0.0.1)')
      .option('--port <port>', 'port to listen on (PORT, 8080)');
  command.action((options: object) =>
    runCommand(async () => (await import('./platform.ts')).platform({ ...options, role })),
  );
}

program
  .command('check')
  .description('load the graphs of a project, and say what is wrong with it')
  .option('-c, --config <file>', 'graph.json of the project; otherwise graph.json or langgraph.json here')
  .action((options: object) => runCommand(async () => (await import('./check.ts')).check(options)));

program
  .command('host')
  .description('run the graphs of a project for an agent server in another container (SLIPWAY_HOST_ADDRESS)')
  .option('-c, --config <file>', 'graph.json of the project; otherwise graph.json or langgraph.json here')
  .action((options: object) => runCommand(async () => (await import('./host.ts')).host(options)));

program
  .command('fetch-artifact', { hidden: true })
  .description('fetch what was built from SLIPWAY_ARTIFACT_URL: what pods do before they serve it')
  .requiredOption('--artifact <digest>', 'what it must be')
  .requiredOption('--into <folder>', 'where to put it')
  .action((options: { artifact: string; into: string }) =>
    runCommand(async () => (await import('./fetch-artifact.ts')).fetchArtifact(options)),
  );

program
  .command('migrate')
  .description('bring the database to this version, and nothing else')
  .option('--json', 'print the names of the migrations applied as JSON')
  .action((options: object) => runCommand(async () => (await import('./migrate.ts')).migrate(options)));

program
  .command('doctor')
  .description('say what is missing on this machine, and what that turns off')
  .option('--json', 'print the findings as JSON')
  .action((options: object) => runCommand(async () => (await import('./doctor.ts')).doctor(options)));

addDeployCommands(program);

await program.parseAsync();
