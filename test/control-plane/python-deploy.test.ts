import { beforeAll, expect, test } from '@jest/globals';
import { at } from '../support/agent-project.ts';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';
import { startSlipway } from '../support/slipway-command.ts';

const platform = usePlatform();
let server: PlatformProcess;
beforeAll(async () => {
  server = await platform.start('platform', { SLIPWAY_PUBLIC_URL: '' });
});

test('slipway deploy deploys the Python example', async () => {
  const env = { SLIPWAY_URL: server.url, SLIPWAY_API_KEY: API_KEY };
  const args = ['deploy', at('examples/python-agent'), '--name', 'python', '--json'];
  const { code, stderr, stdout } = await startSlipway(args, env).ended;
  expect({ code, said: stderr + stdout }).toEqual({ code: 0, said: expect.stringContaining('DEPLOYED') });
  const { json } = await ask(server.url, 'GET', '/v2/deployments?name=python');
  const input = { messages: [{ role: 'user', content: 'What is the weather in Oslo?' }] };
  const path = `/d/${json.resources[0].id}/runs/wait`;
  const answer = await ask(server.url, 'POST', path, { assistant_id: 'agent', input });
  expect(answer.json.messages.map(({ type }: { type: string }) => type)).toEqual([
    'human',
    'ai',
    'tool',
    'ai',
  ]);
  expect(answer.json.messages.at(-1).content).toBe('Here is what I found: It is sunny in Oslo, 21 degrees.');
});
