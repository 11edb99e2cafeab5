import type { Handlers } from '../../graph-protocol/channel.ts';
import type { ChannelHistory, Place } from '../../graph-protocol/checkpoint-record.ts';
import type { CheckpointFilter } from '../../graph-protocol/checkpoint-storage.ts';
import { fromWireUnit, toWireCheckpoint, type WireUnit } from '../../graph-protocol/checkpoint-wire.ts';
import type { Exchange } from '../../graph-protocol/exchange.ts';
import type { HttpHead, User } from '../../graph-protocol/messages.ts';
import type { StoreOperation, StoreResult } from '../../graph-protocol/store-messages.ts';
import { PublicError } from '../../platform/errors.ts';
import type { Scope } from './scopes.ts';

/** Services for graph hosts, apart from checkpoints. */
export interface HostServices {
  runStore(operations: StoreOperation[]): Promise<StoreResult[]>;
  /** Answers a request to the server's API on behalf of the user. */
  answerFetch(request: HttpHead & { user?: User | undefined }, exchange: Exchange): Promise<void>;
}

interface Scoped {
  scope: number;
}
type Named = Scoped & Place & { checkpoint_id: string };

/** The calls a host may make. `scopes` holds the server's calls that the host is executing. */
export function hostRequests(scopes: ReadonlyMap<number, Scope>, services: () => HostServices): Handlers {
  const scopeOf = (id: unknown): Scope => {
    const scope = scopes.get(id as number);
    if (!scope) throw new Error('The call is over');
    return scope;
  };
  return {
    'checkpoint.find': ({ scope, checkpoint_id, ...place }: Scoped & Place & { checkpoint_id?: string }) =>
      scopeOf(scope).withStorage(async (storage) => {
        const found = await storage.find(place, checkpoint_id);
        return found ? toWireCheckpoint(found) : null;
      }),
    'checkpoint.list': ({ scope, filter, limit }: Scoped & { filter: CheckpointFilter; limit: number }) =>
      scopeOf(scope).withStorage(async (storage) =>
        (await storage.list(filter, limit)).map(toWireCheckpoint),
      ),
    'checkpoint.sends': ({ scope, checkpoint_id, ...place }: Named) =>
      scopeOf(scope).withStorage((storage) => storage.sends(place, checkpoint_id)),
    'checkpoint.histories': ({ scope, checkpoint_id, channels, ...place }: Named & { channels: string[] }) =>
      scopeOf(scope).withStorage(async (storage): Promise<Record<string, ChannelHistory>> =>
        Object.fromEntries(await storage.histories(place, checkpoint_id, channels)),
      ),
    'checkpoint.write': ({ scope, units }: Scoped & { units: WireUnit[] }) =>
      scopeOf(scope).write(units.map(fromWireUnit)),
    'checkpoint.delete_thread': ({ scope, thread_id }: Scoped & { thread_id: string }) =>
      scopeOf(scope).withStorage((storage) => storage.deleteThread(thread_id)),
    'store.batch': ({ scope, operations }: { scope?: number; operations: StoreOperation[] }) => {
      const run = () => services().runStore(operations);
      return scope === undefined ? run() : (scopes.get(scope)?.run(run) ?? run());
    },
    fetch: (request: HttpHead & { user?: User }, exchange: Exchange) =>
      services().answerFetch(request, exchange),
    admit: async ({ call }: { call: number }) => (await scopeOf(call).admit()) ?? null,
  };
}

/** Hosts run tenants' code, so they see no more of internal errors than API callers do. */
export function describeToHost(error: unknown): Record<string, unknown> {
  if (!(error instanceof PublicError)) return { error: 'ServerError', message: 'The server could not do it' };
  const { name, message, status, headers } = error;
  return { error: name, message, status, ...(headers && { headers }) };
}
