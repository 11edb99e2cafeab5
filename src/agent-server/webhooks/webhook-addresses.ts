import dns, { type LookupAddress } from 'node:dns';
import { defineError } from '../../platform/errors.ts';

/** The rules forbid the webhook's target (contract §12). */
export const WebhookRefused = defineError('WebhookRefused', 422, (why: string) => `webhook ${why}`);

/** Resolves a name to all its addresses, like `dns.lookup`. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

export const resolveWithSystem: Resolve = (host) => dns.promises.lookup(host, { all: true, verbatim: true });
