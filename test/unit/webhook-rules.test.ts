import { describe, expect, test } from '@jest/globals';
import { InvalidProject } from '../../src/graph-protocol/invalid-project.ts';
import { refusedAddress } from '../../src/platform/network-address.ts';
import { readPrivateAddresses } from '../../src/platform/private-addresses.ts';
import { readWebhookHeaders } from '../../src/agent-server/webhooks/webhook-headers.ts';
import { retryDelay } from '../../src/agent-server/webhooks/webhook-retry.ts';
import { webhookTarget, type WebhookUrlRules } from '../../src/agent-server/webhooks/webhook-url.ts';

const refusal = (url: string, rules: WebhookUrlRules = {}): string | undefined => {
  try {
    webhookTarget(url, rules);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('URL rules', () => {
  test.each<[url: string, rules: WebhookUrlRules]>([
    ['http://localhost:3000/hook', {}],
    ['http://10.0.0.7/hook?token=x', {}],
    ['https://example.com', { require_https: true, allowed_ports: [443] }],
    ['https://example.com:8443/', { allowed_ports: [8443] }],
    ['http://example.com', { allowed_ports: [80] }],
    ['https://Hooks.Example.com./x', { allowed_domains: ['hooks.example.com'] }],
    ['https://a.b.example.com', { allowed_domains: ['other.org', '*.EXAMPLE.com'] }],
    ['https://example.com/12345', { max_url_length: 25 }],
    [
      '/internal/hook?token=x',
      { require_https: true, allowed_domains: ['example.com'], allowed_ports: [443] },
    ],
    ['https://93.184.216.34/', { disable_private_ips: true }],
  ])('%s passes %j', (url, rules) => {
    expect(refusal(url, rules)).toBeUndefined();
  });

  test.each<[url: string, rules: WebhookUrlRules, why: string]>([
    ['http://example.com', { require_https: true }, 'https'],
    ['https://example.com:8443', { allowed_ports: [443] }, 'port'],
    ['http://example.com', { allowed_ports: [443] }, 'port'],
    ['https://example.com', { allowed_domains: ['*.example.com'] }, 'domain'],
    ['https://notexample.com', { allowed_domains: ['*.example.com', 'example.com'] }, 'domain'],
    ['https://example.com.evil.org', { allowed_domains: ['example.com'] }, 'domain'],
    ['https://example.com@evil.org', { allowed_domains: ['example.com'] }, 'domain'],
    ['https://example.com', { allowed_domains: [] }, 'domain'],
    ['https://example.com/123456', { max_url_length: 25 }, 'longer than 25'],
    ['/hook', { disable_loopback: true }, 'relative'],
    ['/\\example.com/hook', {}, 'not a URL'],
    ['http://ada:100%@example.com/', {}, 'not a URL'],
    ['http://ada:%ff@example.com/', {}, 'not a URL'],
    ['javascript:alert(1)', {}, 'http or https'],
    ['http://127.0.0.1/', { disable_private_ips: true }, 'private'],
    ['http://2130706433/', { disable_private_ips: true }, 'private'],
    ['http://[::1]/', { disable_private_ips: true }, 'private'],
    ['http://0/', { disable_private_ips: true }, 'private'],
    ['http://[fe80::1]/', {}, 'link-local'],
  ])('%s breaks %j', (url, rules, why) => {
    expect(refusal(url, rules)).toContain(why);
  });

  test('a refusal never repeats the URL', () => {
    expect(refusal('https://evil.org/?token=secret', { allowed_domains: ['example.com'] })).not.toMatch(
      /evil|secret/,
    );
  });
});

describe('addresses', () => {
  test.each([
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    '100.100.100.200',
    '255.255.255.255',
    '224.0.0.1',
  ])('%s never takes a webhook', (address) => {
    expect(refusedAddress(address)).toBeDefined();
  });

  test.each([
    '10.1.2.3',
    '172.16.0.1',
    '192.168.0.1',
    '127.9.9.9',
    '100.64.0.1',
    '0.0.0.0',
    'fd12::1',
    '::',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
  ])('%s takes one unless the project refuses private addresses', (address) => {
    expect(refusedAddress(address)).toBeUndefined();
    expect(refusedAddress(address, { disable_private_ips: true })).toContain('private');
  });

  test.each(['93.184.216.34', '2606:4700::1111', '64:ff9b::5db8:d822'])('%s is public', (address) => {
    expect(refusedAddress(address, { disable_private_ips: true })).toBeUndefined();
  });
});

describe('of a deployment of a platform', () => {
  const private_addresses = (text: string) => ({
    private_addresses: readPrivateAddresses('SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES', text),
  });

  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://017700000001/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://0/',
    'http://0.0.0.0/',
    'http://[::]/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[::ffff:0:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://10.0.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://198.18.0.1/',
    'http://[fc00::1]/',
    'http://[fec0::1]/',
    'http://[fe80::1]/',
    'http://169.254.169.254/',
    'http://①②⑦.0.0.1/',
  ])('%s is refused, and link-local addresses whatever is allowed', (url) => {
    expect(refusal(url, private_addresses('none'))).toMatch(/private|link-local/);
    const isLinkLocal = /fe80|169/.test(url);
    expect(refusal(url, private_addresses('all')) !== undefined).toBe(isLinkLocal);
  });

  test('allows only names, addresses and networks of the list', () => {
    const rules = private_addresses('10.1.0.0/16, 192.168.1.1, ::1, hooks.internal, *.svc.internal');
    for (const url of [
      'http://10.1.2.3/',
      'http://[::ffff:10.1.2.3]/',
      'http://192.168.1.1/',
      'http://[::1]/',
    ])
      expect([url, refusal(url, rules)]).toEqual([url, undefined]);
    for (const url of ['http://10.2.0.1/', 'http://192.168.1.2/', 'http://127.0.0.1/'])
      expect([url, refusal(url, rules)]).toEqual([url, expect.stringContaining('private')]);
    const { private_addresses: may } = rules;
    expect(
      ['hooks.internal', 'Hooks.Internal.', 'a.svc.internal'].map((host) => may(host, '10.9.9.9')),
    ).toEqual([true, true, true]);
    expect(['svc.internal', 'xhooks.internal', 'evil.org'].map((host) => may(host, '10.9.9.9'))).toEqual([
      false,
      false,
      false,
    ]);
    expect(refusal('http://10.1.2.3/', { ...rules, disable_private_ips: true })).toContain('private');
  });

  test.each(['10.0.0.0/40', 'http://x', 'a b', ''])('%j is no such list', (text) => {
    expect(() => private_addresses(text)).toThrow(/^SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES=/);
  });
});

describe('header templates', () => {
  const env = { LG_WEBHOOK_TOKEN: 'abc', LG_WEBHOOK_EMPTY: '', OUR_TOKEN: 'def', LG_WEBHOOK_BAD: 'a\nb' };

  test('are filled from the environment', () => {
    const headers = {
      Authorization: 'Bearer ${{ env.LG_WEBHOOK_TOKEN }}',
      'X-Env': 'prod',
      'X-2': '${{env.LG_WEBHOOK_TOKEN}}!',
    };
    expect(readWebhookHeaders(headers, env)).toEqual({
      authorization: 'Bearer abc',
      'x-env': 'prod',
      'x-2': 'abc!',
    });
    expect(readWebhookHeaders({ a: '${{ env.OUR_TOKEN }}' }, env, 'OUR_')).toEqual({ a: 'def' });
    expect(readWebhookHeaders(undefined, env)).toEqual({});
  });

  test.each([
    [
      '${{ env.LG_WEBHOOK_MISSING }}',
      'webhooks.headers.X-Key: LG_WEBHOOK_MISSING is not set in the environment',
    ],
    ['${{ env.LG_WEBHOOK_EMPTY }}', 'webhooks.headers.X-Key: LG_WEBHOOK_EMPTY is not set in the environment'],
    [
      '${{ env.OUR_TOKEN }}',
      'webhooks.headers.X-Key: OUR_TOKEN is not allowed: its name must start with LG_WEBHOOK_',
    ],
    ['${{ secrets.X }}', 'webhooks.headers.X-Key: ${{ secrets.X }} is not understood; write ${{ env.NAME }}'],
    ['${{ env.LG_WEBHOOK_BAD }}', 'webhooks.headers.X-Key cannot be sent as an HTTP header'],
  ])('%s stops the start', (template, message) => {
    expect(() => readWebhookHeaders({ 'X-Key': template }, env)).toThrow(new InvalidProject(message));
  });

  test.each(['Content-Length', 'host', 'Transfer-Encoding', 'connection'])('%s stops the start', (name) => {
    const message = `webhooks.headers.${name} is set by the HTTP client`;
    expect(() => readWebhookHeaders({ [name]: '5' }, env)).toThrow(new InvalidProject(message));
  });
});

describe('the next attempt', () => {
  test('has increasing delays', () => {
    const delays = Array.from({ length: 40 }, (_, index) => retryDelay(index + 1));
    expect(delays.slice(0, 3)).toEqual([500, 650, 845]);
    expect(delays.toSorted((a, b) => a - b)).toEqual(delays);
    expect(delays.at(-1)).toBe(300_000);
  });

  test('respects Retry-After, up to an hour', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(retryDelay(1, '7', now)).toBe(7_000);
    expect(retryDelay(1, 'Thu, 01 Jan 2026 00:00:09 GMT', now)).toBe(9_000);
    expect(retryDelay(1, 'Wed, 31 Dec 2025 00:00:00 GMT', now)).toBe(0);
    expect(retryDelay(1, '86400', now)).toBe(3_600_000);
    expect(retryDelay(1, 'soon', now)).toBe(500);
  });
});
