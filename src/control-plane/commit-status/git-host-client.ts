import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { Agent, request } from 'undici';
import { defineError } from '../../platform/errors.ts';
import { literalAddress, refusedAddress } from '../../platform/network-address.ts';
import { readAtMost } from '../../platform/http/read-at-most.ts';
import type { ControlPlaneSettings } from '../control-plane-settings.ts';

const TIMEOUT_MS = 15_000;
const MOST_BYTES_READ = 64 * 1024;

/** An API address the settings don't allow. */
export const GitHostRefused = defineError(
  'GitHostRefused',
  422,
  (why: string) => `The API of the git host ${why}`,
);

export interface GitHostAnswer {
  status: number;
  text: string;
  is_limited: boolean;
}

/**
 * Posts to a git host's API, at addresses the settings allow (SLIPWAY_GIT_PRIVATE_ADDRESSES, SLIPWAY_GIT_PROTOCOLS).
 * Connects to the address that was checked and follows no redirects. Throws GitHostRefused, and network errors.
 */
export async function postToGitHost(
  config: Pick<ControlPlaneSettings, 'SLIPWAY_GIT_PRIVATE_ADDRESSES' | 'SLIPWAY_GIT_PROTOCOLS'>,
  { url, token, body }: { url: string; token: string; body: object },
): Promise<GitHostAnswer> {
  const { protocol, hostname } = new URL(url);
  if (!config.SLIPWAY_GIT_PROTOCOLS.split(',').includes(protocol.slice(0, -1)))
    throw new GitHostRefused(`is not allowed over ${protocol.slice(0, -1)} (SLIPWAY_GIT_PROTOCOLS)`);
  const rules = { disable_private_ips: !config.SLIPWAY_GIT_PRIVATE_ADDRESSES };
  refuse([literalAddress(hostname)], rules);
  const agent = new Agent({ connect: { timeout: TIMEOUT_MS, lookup: checkedLookup(rules) } });
  try {
    const answer = await request(url, {
      method: 'POST',
      dispatcher: agent,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/vnd.github+json, application/json',
        'user-agent': 'slipway',
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { headers, statusCode } = answer;
    const is_limited = headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0';
    return { status: statusCode, text: await readAtMost(answer.body, MOST_BYTES_READ), is_limited };
  } finally {
    await agent.destroy();
  }
}

function refuse(addresses: (string | undefined)[], rules: { disable_private_ips: boolean }): void {
  for (const address of addresses) {
    const why = address && refusedAddress(address, rules);
    if (why) throw new GitHostRefused(why);
  }
}

const checkedLookup = (rules: { disable_private_ips: boolean }): LookupFunction => {
  const addressesOf = callbackify(async (host: string) => {
    const found = await lookup(host, { all: true, verbatim: true });
    refuse(
      found.map(({ address }) => address),
      rules,
    );
    return found;
  });
  return (host, { all }, callback) =>
    addressesOf(host, (error, found) => {
      const first = found?.[0];
      if (error || !first) callback(error ?? new Error('no address'), '');
      else if (all) callback(null, found);
      else callback(null, first.address, first.family);
    });
};
