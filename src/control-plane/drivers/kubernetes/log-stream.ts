import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { once } from 'node:events';
import type { Cluster } from './cluster.ts';

export interface LogQuery {
  container: string;
  /** Of the container's previous run. */
  previous?: boolean;
  /** Continues until the container ends. */
  follow?: boolean;
  timestamps?: boolean;
  /** RFC 3339, whole seconds. */
  sinceTime?: string;
  tailLines?: number;
}

const KEEP_ALIVE_MS = 15_000;
const OK = 200;

/**
 * The lines of a pod's log. Rejects when the connection breaks; the library's own reader would wait forever.
 */
export async function* readLog(
  { kubeConfig, namespace }: Cluster,
  pod: string,
  query: LogQuery,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const url = new URL(
    `${kubeConfig.getCurrentCluster()!.server}/api/v1/namespaces/${namespace}/pods/${pod}/log`,
  );
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  const options: RequestOptions = { signal };
  await kubeConfig.applyToHTTPSOptions(options);
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options);
  request.setSocketKeepAlive(true, KEEP_ALIVE_MS);
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== OK) {
    response.destroy();
    throw new Error(`the log of a pod was answered ${response.statusCode}`);
  }
  let rest = '';
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest) yield rest;
}
