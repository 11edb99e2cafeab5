import type { Role } from './message.ts';

// What each of these is called here (contract §2.2). Where two meanings meet in one role, the name that was given is kept.
const ROLES = new Map<string, { role: Role; keepsName?: true }>([
  ['system', { role: 'system' }],
  ['developer', { role: 'system', keepsName: true }],
  ['user', { role: 'user' }],
  ['human', { role: 'user' }],
  ['assistant', { role: 'assistant' }],
  ['ai', { role: 'assistant' }],
  ['model', { role: 'assistant' }],
  ['tool', { role: 'tool' }],
  ['function', { role: 'tool', keepsName: true }],
  ['reasoning', { role: 'reasoning' }],
]);

/** The role of this name, also in LangChain's spellings such as `AIMessageChunk`; undefined for another. */
export const roleOf = (name: unknown): { role: Role; keepsName?: true } | undefined =>
  typeof name === 'string' ? ROLES.get(name.replace(/Message(?:Chunk)?$/, '').toLowerCase()) : undefined;
