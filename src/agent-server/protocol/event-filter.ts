import { type Static, Type } from 'typebox';
import type { Envelope } from './envelope.ts';

const CHANNELS = [
  'values',
  'updates',
  'messages',
  'tools',
  'lifecycle',
  'input',
  'tasks',
  'custom',
  'checkpoints',
] as const;

/** Selects events from a thread's stream (contract §15.1). */
export const EventFilter = Type.Object({
  channels: Type.Array(Type.String({ pattern: `^(${CHANNELS.join('|')}|custom:.+)$` }), { minItems: 1 }),
  /** Prefixes; a segment without `:` matches every execution of the node. */
  namespaces: Type.Optional(Type.Array(Type.Array(Type.String()))),
  /** Levels below the prefix. */
  depth: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Only events with a greater `seq`. */
  since: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type EventFilter = Static<typeof EventFilter>;

/** Matches envelopes against the filter; ignores `since`. */
export function passesFilter({ channels, namespaces, depth }: EventFilter): (event: Envelope) => boolean {
  const wanted = new Set(channels);
  return ({ method, params }) => {
    if (!wantsChannel(wanted, method, params.data)) return false;
    if (!namespaces || namespaces.length === 0) return withinDepth(params.namespace.length, depth);
    return namespaces.some(
      (prefix) =>
        startsWith(params.namespace, prefix) && withinDepth(params.namespace.length - prefix.length, depth),
    );
  };
}

const withinDepth = (levels: number, depth: number | undefined): boolean =>
  depth === undefined || levels <= depth;

function wantsChannel(wanted: ReadonlySet<string>, method: string, data: unknown): boolean {
  if (method === 'input.requested') return wanted.has('input');
  if (wanted.has(method)) return true;
  const name = method === 'custom' ? (data as { name?: unknown }).name : undefined;
  return typeof name === 'string' && wanted.has(`custom:${name}`);
}

const startsWith = (namespace: string[], prefix: string[]): boolean =>
  prefix.every((segment, index) => {
    const candidate = namespace[index];
    return candidate === segment || (!segment.includes(':') && candidate?.split(':', 1)[0] === segment);
  });
