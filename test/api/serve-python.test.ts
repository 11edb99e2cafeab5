import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { at } from '../support/agent-project.ts';
import { startAgentServer } from '../support/agent-server.ts';
import { until } from '../support/until.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();
const folder = mkdtempSync(join(tmpdir(), 'slipway-python-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("serve --watch creates the Python example's environment and reloads on changes", async () => {
  cpSync(at('examples/python-agent'), folder, { recursive: true });
  const server = await startAgentServer({ databaseUrl: database.url, config: folder, watch: true });
  const starts = () => server.logs().split('agent server ready at').length - 1;
  const ask = async (content: string) => {
    const response = await fetch(`${server.url}/runs/wait`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ assistant_id: 'agent', input: { messages: [{ role: 'user', content }] } }),
    });
    const { messages } = (await response.json()) as { messages: { content: string }[] };
    return messages.at(-1)!.content;
  };
  try {
    expect(server.logs()).toContain(`running Python graphs with ${join(folder, '.venv/bin/python')}`);
    expect(existsSync(join(folder, '.venv/slipway-installed'))).toBe(true);
    expect(await ask('What is the weather in Oslo?')).toBe(
      'Here is what I found: It is sunny in Oslo, 21 degrees.',
    );
    expect(await ask('2 plus 3')).toBe('Here is what I found: 2 + 3 = 5');
    writeFileSync(join(folder, 'requirements.txt'), 'langgraph>=1,<2\niniconfig\n');
    await until('it starts again', () => starts() === 2);
    expect(server.logs().split('installing the Python packages').length - 1).toBe(2);
    writeFileSync(join(folder, 'agent.py'), 'from iniconfig import IniConfig\nfrom other import graph\n');
    await until('it reports the problem', () => server.logs().includes("No module named 'other'"));
  } finally {
    await server.end();
  }
});
