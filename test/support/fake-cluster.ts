import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { V1Pod } from '@kubernetes/client-node';
import { openCluster } from '../../src/control-plane/drivers/kubernetes/cluster.ts';
import { LABELS } from '../../src/control-plane/drivers/kubernetes/object-names.ts';
import type { ClusterUnderTest, OpenClusterOptions } from './cluster-under-test.ts';
import { makeCertificates } from './engine-certificates.ts';
import { KubernetesApi } from './kubernetes-api/api-server.ts';

const KINDS = ['deployments', 'replicasets', 'pods', 'services', 'secrets', 'networkpolicies'];
const TOKEN = 'a-token-of-a-service-account';

/**
 * A cluster whose only node is this machine. Its API server requires a token and has a certificate from its own
 * authority.
 */
export async function openFakeCluster(about: OpenClusterOptions): Promise<ClusterUnderTest> {
  const { dataDir, config } = about.options;
  const certificates = await makeCertificates(join(dataDir, 'cluster'), 'localhost');
  const api = await new KubernetesApi({
    token: TOKEN,
    key: await readFile(certificates.serverKey),
    cert: await readFile(certificates.serverCert),
  }).listen();
  api.images.set('slipway:latest', { id: `slipway@sha256:${'0'.repeat(64)}` });
  const kubeconfig = join(dataDir, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigOf({ server: api.url, ca: certificates.ca, token: TOKEN }));
  const settings = {
    SLIPWAY_KUBECONFIG: kubeconfig,
    SLIPWAY_KUBERNETES_PLATFORM_URL: `http://127.0.0.1:${about.platformPort}`,
  };
  const labelled = (revisionId: string) => ({ [LABELS.revision]: revisionId });
  return {
    api,
    settings,
    cluster: await openCluster({ ...config, ...settings }),
    reached: ({ databaseUrl, temporal }) => ({ databaseUrl, temporal }),
    // Bypasses the API, whose requests are checked against the role in deploy/.
    namesOf: async (id) =>
      KINDS.flatMap((kind) =>
        api.store.list(kind, labelled(id)).map(({ metadata }) => `${kind}/${metadata.name}`),
      ),
    podsOf: async (id) => api.store.list('pods', labelled(id)) as unknown as V1Pod[],
    crash: async ({ metadata }) => api.controllers.runs.get(metadata!.uid!)!.crash(),
    close: () => api.close(),
  };
}

/** A kubeconfig as administrators hand it out. */
export const kubeconfigOf = ({ server, ca, token }: { server: string; ca?: string; token: string }): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server, ...(ca && { 'certificate-authority': ca }) } }],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
  });
