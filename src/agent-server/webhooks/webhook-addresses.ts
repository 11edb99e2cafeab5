import dns, { type LookupAddress } from 'node:dns';
import { defineError } from '../../platform/errors.ts';

/** A webhook whose target the rules do not allow (contract §12). */
export const WebhookRefused = defineError('WebhookRefused', 422, (why: string) => `webhook ${why}`);

/** Resolves a name to all its addresses, as `dns.lookup` does. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

export const resolveWithSystem: Resolve = (host) => dns.promises.lookup(host, { all: true, verbatim: true });
