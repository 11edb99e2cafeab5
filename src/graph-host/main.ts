import { connectTo } from '../graph-protocol/address.ts';
import { Channel } from '../graph-protocol/channel.ts';
import type { LoadRequest } from '../graph-protocol/messages.ts';
import { createLog } from '../platform/log.ts';
import { nameThrownErrors } from './graphs/thrown-class.ts';
import { createHandlers } from './handlers.ts';
import type { HostDeps } from './host-deps.ts';
import { describeError } from './host-error.ts';
import { bindSdkClient, bindSdkLogger, bindSdkUrl } from './in-process/sdk-globals.ts';
import { serverFetch } from './in-process/server-fetch.ts';
import { load } from './load.ts';

const { SLIPWAY_HOST_ADDRESS: address = '', SLIPWAY_HOST_TOKEN: token, ...rest } = process.env;
// The project's code doesn't need the variables removed above.
process.env = rest;

const log = createLog(rest['SLIPWAY_LOG_LEVEL'] ?? 'info');
let deps: HostDeps | undefined;

const channel: Channel = new Channel(connectTo(address), {
  handlers: {
    ...createHandlers(() => {
      if (!deps) throw new Error('No project is loaded');
      return deps;
    }),
    async load(request: LoadRequest) {
      const loaded = await load(request, channel, log);
      ({ deps } = loaded);
      return loaded.description;
    },
    serving: ({ url }: { url: string }) => bindSdkUrl(url),
    ping: () => null,
  },
  describeError,
});
nameThrownErrors();
bindSdkLogger(log);
bindSdkClient(serverFetch(channel));
if (token !== undefined) await channel.call('hello', { token });
// An unhandled rejection in one graph must not end the runs of all others.
process.on('unhandledRejection', (reason) =>
  log.error({ err: reason }, 'a rejected promise was left unhandled'),
);
await channel.closed;
process.exit();
