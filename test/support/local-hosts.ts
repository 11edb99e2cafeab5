import { duplexPair } from 'node:stream';
import { pino } from 'pino';
import { asRefusal } from '../../src/agent-server/refusal.ts';
import type { HostCallOptions } from '../../src/agent-server/hosts/graph-host.ts';
import type { GraphHosts } from '../../src/agent-server/hosts/graph-hosts.ts';
import {
  describeToHost,
  hostRequests,
  type HostServices,
} from '../../src/agent-server/hosts/host-requests.ts';
import { Scope } from '../../src/agent-server/hosts/scopes.ts';
import { createHandlers } from '../../src/graph-host/handlers.ts';
import type { HostDeps } from '../../src/graph-host/host-deps.ts';
import { describeError } from '../../src/graph-host/host-error.ts';
import { describeParts, openParts } from '../../src/graph-host/load.ts';
import { Channel } from '../../src/graph-protocol/channel.ts';
import type { Description } from '../../src/graph-protocol/messages.ts';
import type { ProjectConfig } from '../../src/graph-protocol/project-schema.ts';

export interface LocalProject {
  config: ProjectConfig;
  /** The value that a `path:export` in the configuration refers to. */
  exported?: (key: string) => unknown;
  services?: () => HostServices;
}

/** A host in this process, over the real protocol, for a project given as values. */
export async function localHosts({ config, exported, services }: LocalProject): Promise<{
  hosts: GraphHosts;
  host: HostDeps;
  description: Description;
}> {
  const log = pino({ level: 'silent' });
  const [ours, theirs] = duplexPair();
  const scopes = new Map<number, Scope>();
  const none = () => {
    throw new Error('there is no server');
  };
  const server = new Channel(ours, {
    handlers: hostRequests(scopes, services ?? none),
    describeError: describeToHost,
  });
  let host: HostDeps | undefined;
  const channel = new Channel(theirs, { handlers: createHandlers(() => host!), describeError });
  const project = {
    dir: '.',
    config,
    graphs: new Map(),
    require: none,
    import: async (key: string) => exported?.(key),
  };
  host = { channel, log, project, ...(await openParts(project, channel, log)) };
  const call = async (method: string, params: object = {}, options: HostCallOptions = {}) => {
    const { id, answer } = server.open(method, params, options);
    scopes.set(id, new Scope(options));
    try {
      return await answer;
    } catch (error) {
      throw asRefusal(error) ?? error;
    } finally {
      scopes.delete(id);
    }
  };
  return { hosts: { call } as unknown as GraphHosts, host, description: describeParts(host) };
}
