import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { startAgentServer } from '../support/agent-server.ts';
import { projectFile } from '../support/project-file.ts';
import { useApi } from '../support/use-api.ts';
import { useReceiver } from '../support/webhook-receiver.ts';

const receiver = useReceiver();
const echo = { assistant_id: 'echo', input: { text: 'hi' } };

describe('headers and fields', () => {
  const api = useApi({
    config: projectFile({
      webhooks: {
        env_prefix: 'HOOK_',
        headers: { Authorization: 'Bearer ${{ env.HOOK_TOKEN }}', 'X-Source': 'tests' },
        allowed_fields: ['run_id', 'status', 'error'],
      },
    }),
    env: { HOOK_TOKEN: 'sesame' },
  });

  test('every webhook has the configured headers and only allowed fields', async () => {
    const path = `/${randomUUID()}`;
    await api.post('/runs', { ...echo, webhook: receiver.url + path });
    const [one] = await receiver.wait((request) => request.path === path);
    expect(one!.headers).toMatchObject({ authorization: 'Bearer sesame', 'x-source': 'tests' });
    expect(one!.json).toEqual({ run_id: expect.any(String), status: 'success' });
    expect(api.server.logs()).not.toContain('sesame');
  });

  test('includes the failure if that is allowed', async () => {
    const path = `/${randomUUID()}`;
    await api.post('/runs', { assistant_id: 'boom', input: {}, webhook: receiver.url + path });
    const [one] = await receiver.wait((request) => request.path === path);
    expect(one!.json).toEqual({
      run_id: expect.any(String),
      status: 'error',
      error: { error: 'Error', message: expect.any(String) },
    });
  });
});

describe('URL rules', () => {
  const api = useApi({
    config: projectFile({
      webhooks: {
        url: {
          require_https: true,
          allowed_domains: ['example.com', '*.hooks.test'],
          allowed_ports: [443, 8443],
          max_url_length: 60,
          disable_loopback: true,
          disable_private_ips: true,
        },
      },
    }),
  });

  test.each([
    ['require_https', 'http://example.com/x'],
    ['allowed_domains', 'https://elsewhere.test/x'],
    ['allowed_domains, of which a wildcard is subdomains only', 'https://hooks.test/x'],
    ['allowed_ports', 'https://example.com:9000/x'],
    ['max_url_length', `https://example.com/${'x'.repeat(60)}`],
    ['disable_loopback', '/internal'],
  ])('%s applies to every operation that starts a run', async (_rule, webhook) => {
    const threadId = randomUUID();
    const body = { ...echo, webhook, if_not_exists: 'create' };
    for (const path of ['runs', 'runs/stream', 'runs/wait'].flatMap((end) => [
      `/threads/${threadId}/${end}`,
      `/${end}`,
    ])) {
      const { status, json } = await api.post(path, body);
      expect({ path, status, json }).toEqual({
        path,
        status: 422,
        json: { detail: expect.stringMatching(/^webhook /) },
      });
    }
    expect((await api.post('/runs/batch', [echo, body])).status).toBe(422);
    const cron = { ...echo, schedule: '0 9 * * *' };
    expect((await api.post('/runs/crons', { ...cron, webhook })).status).toBe(422);
    const { json: made } = await api.post('/runs/crons', cron);
    expect((await api.patch(`/crons/${made.cron_id}`, { webhook })).status).toBe(422);
    expect((await api.delete(`/runs/crons/${made.cron_id}`)).status).toBe(204);
    expect((await api.get(`/threads/${threadId}`)).status).toBe(404);
  });

  test('accepts URLs that match', async () => {
    for (const webhook of ['https://example.com/x', 'https://a.hooks.test:8443/x'])
      // Delayed too long to be sent.
      expect((await api.post('/runs', { ...echo, webhook, after_seconds: 86_400 })).json.kwargs.webhook).toBe(
        webhook,
      );
  });
});

describe('private addresses', () => {
  const api = useApi({
    config: projectFile({ webhooks: { url: { disable_private_ips: true, allowed_ports: [80, 3000] } } }),
  });

  test.each(['http://10.0.0.1/', 'http://localhost:3000/', 'http://[::1]/', 'http://127.1/'])(
    '%s is refused at request time',
    async (webhook) => {
      const { status, json } = await api.post('/runs', { ...echo, webhook });
      expect([status, json.detail]).toEqual([422, 'webhook leads to a private address']);
    },
  );
});

describe('http.disable_webhooks', () => {
  const api = useApi({ config: projectFile({ http: { disable_webhooks: true } }) });

  test('ignores the field everywhere', async () => {
    const path = `/${randomUUID()}`;
    for (const webhook of [receiver.url + path, 'no url at all']) {
      const { status, json } = await api.post('/runs', { ...echo, webhook });
      expect([status, json.kwargs.webhook]).toEqual([200, null]);
      expect((await api.post('/runs/wait', { ...echo, webhook })).json).toMatchObject({ echo: 'hi' });
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(receiver.received.filter((one) => one.path === path)).toEqual([]);
  });
});

test.each([
  ['that is not set', 'LG_WEBHOOK_TOKEN', 'LG_WEBHOOK_TOKEN is not set in the environment'],
  ['outside the prefix', 'HOME', 'HOME is not allowed: its name must start with LG_WEBHOOK_'],
])('a variable %s stops the start with one line', async (_name, variable, why) => {
  const headers = { Authorization: `Bearer \${{ env.${variable} }}` };
  const starting = startAgentServer({
    databaseUrl: process.env['TEST_DATABASE_URL']!,
    config: projectFile({ webhooks: { headers } }),
  });
  await expect(starting).rejects.toThrow(
    new RegExp(`ended with 2:[^]*slipway: webhooks\\.headers\\.Authorization: ${why}\n$`),
  );
});
