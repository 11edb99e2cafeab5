import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { V1Deployment, V1NetworkPolicy, V1Secret, V1Service } from '@kubernetes/client-node';
import type { ControlPlaneSettings } from '../../src/control-plane/control-plane-settings.ts';
import { agentObjects } from '../../src/control-plane/drivers/kubernetes/agent-objects.ts';
import { SPLIT, WHOLE } from '../../src/control-plane/drivers/kubernetes/object-names.ts';
import { destination, readDestinations } from '../../src/control-plane/fence/destinations.ts';
import type { RevisionRow } from '../../src/control-plane/records/revision.ts';
import { check } from '../support/kubernetes-api/object-rules.ts';

const ID = randomUUID();
const NAME = `slipway-${ID}`;
const config = {
  SLIPWAY_PLATFORM: 'test',
  SLIPWAY_KUBERNETES_IMAGE: 'slipway:1',
  SLIPWAY_KUBERNETES_PLATFORM_NAMESPACE: 'slipway',
  SLIPWAY_AGENT_MEMORY_MB: 512,
  SLIPWAY_DEPLOY_TIMEOUT_SECONDS: 60,
  SLIPWAY_DRAIN_SECONDS: 60,
  SLIPWAY_ANSWER_SECONDS: 60,
} as ControlPlaneSettings;
const project = { GREETING: 'hello', LANGSMITH_API_KEY: 'of-the-deployment' };
const server = {
  DATABASE_URL: 'postgres://secret',
  TEMPORAL_API_KEY: 'secret',
  SLIPWAY_GATEWAY_TOKEN: 'secret',
};

function objects(
  about: { image?: string; parts?: typeof SPLIT; spec?: object; allow?: string; deny?: string } = {},
) {
  const { image, parts = SPLIT, spec = {}, allow, deny } = about;
  const all = agentObjects({
    config,
    revision: {
      id: ID,
      deployment_id: randomUUID(),
      artifact: image ?? 'sha256:1',
      source_config: { resource_spec: spec },
      source_revision_config: {},
      secret_references: [{ name: 'OWN', secret_name: 'theirs', secret_key: 'key' }],
    } as unknown as RevisionRow,
    parts,
    environments: { server, host: project, agent: project },
    token: 'the-token-of-its-hosts',
    replicas: 2,
    servicePorts: [5432, 7233],
    fence: {
      allow: readDestinations('ALLOW', allow),
      deny: readDestinations('DENY', deny),
      services: [destination('203.0.113.5', 5432), destination('10.0.0.9', 7233)],
    },
    artifactUrl: image ? undefined : 'http://platform/v2/artifacts/x',
    pulled: image ? { image } : undefined,
  });
  // The library writes `_from` as `from`.
  for (const object of all) check(JSON.parse(JSON.stringify(object).replaceAll('_from', 'from')), undefined);
  const of = <Kind>(kind: string, name: string) =>
    all.find((object) => object.kind === kind && object.metadata.name === `${NAME}${name}`) as Kind;
  const pod = (part: string) => of<V1Deployment>('Deployment', `-${part}`).spec!.template;
  const policy = (part: string) => of<V1NetworkPolicy>('NetworkPolicy', `-${part}`).spec!;
  const secret = (name: string) => of<V1Secret>('Secret', name)?.data;
  return { all, of, pod, policy, secret };
}

/** Names of the Secrets that a pod references. */
const secretsOf = (pod: unknown): string[] =>
  Array.from(
    JSON.stringify(pod).matchAll(/"(?:secretRef":\{"|secretKeyRef":\{[^}]*")name":"([^"]+)"/g),
    ([, name]) => name!.replace(NAME, ''),
  ).sort();

const text = (data: Record<string, string> | undefined) =>
  Object.fromEntries(
    Object.entries(data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );

test('the pod of the project has no credential of the platform, no account, and no way to its Secrets', () => {
  const { pod, secret } = objects();
  const { spec } = pod('host');
  expect(secretsOf(pod('host'))).toEqual(['-artifact', '-host', '-token', 'theirs']);
  expect(text(secret('-host'))).toEqual(project);
  expect(text(secret('-token'))).toEqual({ token: 'the-token-of-its-hosts' });
  expect(spec!.automountServiceAccountToken).toBe(false);
  expect(spec!.serviceAccountName).toBeUndefined();
  expect(spec!.volumes).toEqual([
    { name: 'tmp', emptyDir: {} },
    { name: 'project', emptyDir: {} },
  ]);
  const [container] = spec!.containers;
  expect(container!.command).toContain('host');
  expect(container!.env!.map(({ name, value }) => [name, value])).toEqual([
    ['OWN', undefined],
    ['SLIPWAY_HOST_ADDRESS', `tcp:${NAME}-hosts:8001`],
    ['SLIPWAY_HOST_HEALTH', 'tcp:0.0.0.0:8000'],
    ['SLIPWAY_HOST_TOKEN', undefined],
  ]);
  expect(container!.securityContext).toMatchObject({ readOnlyRootFilesystem: true, runAsNonRoot: true });
  expect(container!.resources!.limits).toEqual({ memory: '512Mi' });
});

test('the pod of the server runs our image with the credentials, and nothing of the project', () => {
  const spec = { sidecars: [{ name: 'side', image: 'theirs' }], annotations: { a: 'b' }, labels: { c: 'd' } };
  const { pod, secret } = objects({ image: 'theirs@sha256:1', spec });
  const { metadata, spec: own } = pod('server');
  expect(own!.containers.map(({ image }) => image)).toEqual(['slipway:1']);
  expect(own!.automountServiceAccountToken).toBe(false);
  expect(secretsOf(pod('server'))).toEqual(['-server', '-token']);
  expect(text(secret('-server'))).toEqual(server);
  expect(own!.containers[0]!.livenessProbe!.httpGet!.path).toBe('/ok?check_hosts=false');
  expect(metadata!.labels).not.toHaveProperty('c');
  const host = pod('host');
  expect(host.spec!.containers.map(({ image, command }) => [image, command])).toEqual([
    ['theirs@sha256:1', undefined],
    ['theirs', undefined],
  ]);
  expect(host.metadata).toMatchObject({ labels: { c: 'd' }, annotations: { a: 'b' } });
  // One is never replaced without the other.
  const digest = metadata!.annotations!['slipway.dev/templates'];
  expect(digest).toBeDefined();
  expect(host.metadata!.annotations!['slipway.dev/templates']).toBe(digest);
});

test('nothing reaches the project; it reaches names, its server, the API and the Internet', () => {
  const { policy, of } = objects();
  const { podSelector, policyTypes, ingress, egress } = policy('host');
  expect(podSelector.matchLabels).toEqual({ 'slipway.dev/revision': ID, 'slipway.dev/part': 'host' });
  expect({ policyTypes, ingress }).toEqual({ policyTypes: ['Ingress', 'Egress'], ingress: [] });
  const [dns, api, own, internet, ...rest] = egress!;
  expect(rest).toEqual([]);
  expect(dns!.ports!.map(({ port }) => port)).toEqual([53, 53]);
  expect(api!.to![0]!.podSelector!.matchLabels).toEqual({
    'app.kubernetes.io/name': 'slipway',
    'app.kubernetes.io/component': 'api',
  });
  expect(own).toEqual({
    to: [{ podSelector: { matchLabels: { 'slipway.dev/revision': ID, 'slipway.dev/part': 'server' } } }],
    ports: [{ protocol: 'TCP', port: 8001 }],
  });
  const [v4, v6] = internet!.to!.map(({ ipBlock }) => ipBlock!);
  expect([v4!.cidr, v6!.cidr]).toEqual(['0.0.0.0/0', '::/0']);
  expect(v4!.except).toEqual(
    expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '127.0.0.0/8', '203.0.113.5/32']),
  );
  expect(v6!.except).toEqual(expect.arrayContaining(['fc00::/7', 'fe80::/10']));
  // Its server, at the port for hosts, before it is ready.
  expect(of<V1Service>('Service', '-hosts').spec).toEqual({
    selector: { 'slipway.dev/revision': ID, 'slipway.dev/part': 'server' },
    publishNotReadyAddresses: true,
    ports: [{ name: 'hosts', port: 8001, targetPort: 8001, protocol: 'TCP' }],
  });
});

test('gateways and the hosts of the revision reach the server, each at its port', () => {
  const { ingress, egress } = objects().policy('server');
  expect(ingress!.map(({ ports }) => ports!.map(({ port }) => port))).toEqual([[8000], [8001]]);
  expect(ingress![0]!._from![0]!.namespaceSelector!.matchLabels).toEqual({
    'kubernetes.io/metadata.name': 'slipway',
  });
  expect(ingress![1]!._from).toEqual([
    { podSelector: { matchLabels: { 'slipway.dev/revision': ID, 'slipway.dev/part': 'host' } } },
  ]);
  expect(egress!.flatMap(({ to, ports }) => (to ? [] : ports!.map(({ port }) => port)))).toEqual([
    53, 53, 5432, 7233,
  ]);
});

test('the settings of the fence count, but for Postgres and Temporal', () => {
  const rules = (about: { allow?: string; deny?: string }) =>
    objects(about).policy('host').egress!.slice(3) as {
      to: { ipBlock: { cidr: string; except?: string[] } }[];
    }[];
  const allowed = rules({
    allow: '10.1.2.3:8080,10.0.0.9:7233,10.0.0.9:80,10.0.0.0/16',
    deny: '198.51.100.0/24,192.0.2.1:25',
  });
  expect(allowed[0]!.to[0]!.ipBlock.except).toEqual(
    expect.arrayContaining(['198.51.100.0/24', '192.0.2.1/32']),
  );
  expect(allowed.slice(1)).toEqual([
    { to: [{ ipBlock: { cidr: '10.1.2.3/32' } }], ports: [{ protocol: 'TCP', port: 8080 }] },
    { to: [{ ipBlock: { cidr: '10.0.0.9/32' } }], ports: [{ protocol: 'TCP', port: 80 }] },
    { to: [{ ipBlock: { cidr: '10.0.0.0/16', except: ['10.0.0.9/32'] } }] },
  ]);
  expect(rules({ deny: '0.0.0.0/0,::/0' })).toEqual([]);
});

test('an image that serves the API itself gets no credential, and gateways alone reach it', () => {
  const { all, of, pod, policy } = objects({ image: 'theirs@sha256:1', parts: WHOLE });
  expect(secretsOf(pod('agent'))).toEqual(['-agent', 'theirs']);
  expect(pod('agent').spec!.containers[0]!.env!.map(({ name }) => name)).toEqual(['OWN']);
  expect(JSON.stringify(all)).not.toContain(Buffer.from('secret').toString('base64'));
  expect(of('NetworkPolicy', '-server')).toBeUndefined();
  expect(policy('agent').ingress!.map(({ ports }) => ports)).toEqual([[{ protocol: 'TCP', port: 8000 }]]);
  expect(JSON.stringify(policy('agent').egress)).not.toMatch(/8001|5432|7233/);
});

test.each([
  { secret_name: `${NAME}-server` },
  { service_account_name: 'slipway-worker' },
  { volumes: [{ name: 'own', secret: { secretName: `${NAME}-token` } }] },
  {
    sidecars: [
      { name: 'side', image: 'x', envFrom: [{ secretRef: { name: `slipway-${randomUUID()}-token` } }] },
    ],
  },
])('a revision cannot refer to Secrets and accounts of the platform: %j', ({ secret_name, ...spec }: any) => {
  const refused = () =>
    objects({ spec: secret_name ? { image_pull_secrets: [{ name: secret_name }] } : spec });
  expect(refused).toThrow(/is the platform's own/);
});

test('a volume of the project can hold no token of the cluster', () => {
  const sources = [{ configMap: { name: 'theirs' } }, { serviceAccountToken: { path: 'token' } }];
  const spec = { volumes: [{ name: 'v', projected: { sources } }] };
  expect(() => objects({ spec })).toThrow(
    'resource_spec.volumes: a volume cannot hold a token of the cluster',
  );
  spec.volumes[0]!.projected.sources.pop();
  expect(objects({ spec }).pod('host').spec!.volumes).toContainEqual(spec.volumes[0]);
});
