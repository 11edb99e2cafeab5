import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { at } from '../support/agent-project.ts';
import { until } from '../support/until.ts';
import { noteDeployment, useDatabase } from '../support/use-database.ts';

const database = useDatabase();

test('in a terminal, serve prints a banner of four lines', async () => {
  const deployment = `test-${randomUUID()}`;
  noteDeployment(database.url, deployment);
  const command = [process.execPath, at('dist/bin/slipway.js'), 'serve', '--config', at('examples')];
  // Gives the command a terminal.
  const child = spawn('script', ['--quiet', '--return', '--command', command.join(' '), '/dev/null'], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS'],
      SLIPWAY_DEPLOYMENT: deployment,
      SLIPWAY_GRACE_SECONDS: '0',
      PORT: '0',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  try {
    await until('the banner appears', () => /Ctrl\+C/.test(output) || child.exitCode !== null);
    const text = output.replaceAll('\r', '').replace(/localhost:\d+/g, 'localhost:2024');
    expect(text).toContain(`
  examples is ready.

  Graphs    agent, approval, research, report
  API       http://localhost:2024 (documentation: http://localhost:2024/docs)
  API key   none: only this machine reaches it
  Next      slipway deploy (Ctrl+C stops the server)
`);
  } finally {
    child.stdin.write('\x03');
    await ended;
  }
});
