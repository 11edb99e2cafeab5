// The platform's workers with a driver whose revisions are HTTP servers in this process. Images named `broken` never start,
// images named `failing` start and answer 500, images named `slow` keep starting until interrupted, images named `hangs-once` until HANGS=no. SIGTERM stops it cleanly.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { openDataPlane } from '../../src/bin/data-plane.ts';
import type { ControlPlaneDeps } from '../../src/control-plane/control-plane-deps.ts';
import type { Driver } from '../../src/control-plane/drivers/driver.ts';
import { BadRequest } from '../../src/platform/errors.ts';
import { runWorkers } from './platform-workers.ts';

function localDriver({ db }: ControlPlaneDeps): Driver {
  const servers = new Map<string, Server>();
  const stop = async (revisionId: string) => {
    const server = servers.get(revisionId);
    servers.delete(revisionId);
    await db.query('delete from control_plane.instance where revision_id = $1', [revisionId]);
    server?.close();
    server?.closeAllConnections();
  };
  return {
    async start({ revision, environment, log, signal }) {
      const image = String(revision.source_revision_config['image_uri']);
      if (image.includes('broken')) throw new BadRequest('The image does not start');
      const hangs = image.includes('hangs-once') && process.env['HANGS'] !== 'no';
      if (hangs) console.log('hangs');
      if (hangs || image.includes('slow')) await once(signal, 'abort');
      signal.throwIfAborted();
      await stop(revision.id);
      const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
        response.setHeader('content-type', 'application/json');
        if (image.includes('failing')) response.statusCode = 500;
        response.end(JSON.stringify({ image, path: request.url, environment, headers: request.headers }));
      });
      servers.set(revision.id, server);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      log(`listening, ${image}`);
      await db.query(
        `insert into control_plane.instance (revision_id, deployment_id, host, port, url, state, lease_until)
         values ($1, $2, 'local', $3, $4, 'running', 'infinity')`,
        [revision.id, revision.deployment_id, port, `http://127.0.0.1:${port}`],
      );
      return { url: `http://127.0.0.1:${port}` };
    },
    scale: () => Promise.resolve(),
    drain: () => Promise.resolve(),
    stop,
    erase: () => Promise.resolve(),
  };
}

await runWorkers(async (deps) => ({ ...(await openDataPlane(deps)), driver: localDriver(deps) }));
