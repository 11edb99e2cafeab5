import { expect, test } from '@jest/globals';
import { ControlPlaneSettings } from '../../src/control-plane/control-plane-settings.ts';
import { serviceSettings } from '../../src/platform/service-settings.ts';
import { check } from '../support/kubernetes-api/object-rules.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { VARIABLES } from '../support/real-cluster.ts';
import { readManifests, readObjects } from '../support/kubernetes-manifests.ts';

const all = await readManifests();
const byKind = (kind: string) => all.filter(({ object }) => object.kind === kind).map(({ object }) => object);
const pods = byKind('Deployment').map(({ spec }) => spec.template);

test('every manifest is valid', () => {
  for (const { object } of all) if (object.kind !== 'Kustomization') check(object, undefined);
  expect(byKind('Deployment').map(({ metadata }) => metadata.name)).toEqual([
    'slipway-api',
    'slipway-worker',
  ]);
});

test("the test pod's manifest is valid and has the platform's permissions", async () => {
  const objects = await readObjects(new URL('test/drivers/on-a-cluster.yaml', packageRoot));
  for (const object of objects) check(object, undefined);
  const { metadata, spec } = objects.find(({ kind }) => kind === 'Pod');
  expect(metadata.labels).toEqual(pods[0].metadata.labels);
  expect(metadata.namespace).toBe(byKind('ConfigMap')[0].data.SLIPWAY_KUBERNETES_PLATFORM_NAMESPACE);
  const named = spec.containers[0].env.map(({ name }: any) => name);
  expect(named.filter((name: string) => name !== 'HOME').sort()).toEqual(
    Object.values(VARIABLES)
      .filter((name) => name !== VARIABLES.modules)
      .sort(),
  );
  const role = byKind('Role')[0].metadata.name;
  expect(objects.filter(({ kind }) => kind === 'RoleBinding').map(({ roleRef }) => roleRef.name)).toContain(
    role,
  );
});

test('the base includes every file but the examples', () => {
  const [base] = byKind('Kustomization');
  const files = new Set(all.map(({ file }) => file));
  expect(new Set([...base.resources, 'ingress.example.yaml', 'kustomization.yaml'])).toEqual(files);
});

test('every setting in manifests exists', () => {
  const known = Object.keys({ ...serviceSettings, ...ControlPlaneSettings.properties, PORT: 0 });
  const named = [
    ...byKind('ConfigMap').flatMap(({ data }) => Object.keys(data)),
    ...byKind('Secret').flatMap(({ stringData }) => Object.keys(stringData)),
    ...pods.flatMap(({ spec }) =>
      spec.containers.flatMap(({ env = [] }: any) => env.map((one: any) => one.name)),
    ),
  ];
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
  expect(named).toEqual(expect.arrayContaining(['DATABASE_URL', 'TEMPORAL_ADDRESS', 'SLIPWAY_SECRET_KEY']));
});

test('ports, probes, images and labels match', () => {
  const [{ spec: service }] = byKind('Service');
  const [api] = pods;
  const [container] = api.spec.containers;
  const port = container.ports.find(({ name }: any) => name === service.ports[0].targetPort);
  expect(container.env).toContainEqual({ name: 'PORT', value: String(port.containerPort) });
  expect(api.metadata.labels).toMatchObject(service.selector);
  for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
    expect(container[probe].httpGet).toEqual({ path: '/ok', port: port.name });
  const [{ data }] = byKind('ConfigMap');
  const url = new URL(data.SLIPWAY_KUBERNETES_PLATFORM_URL);
  expect([url.hostname.split('.')[0], Number(url.port)]).toEqual(['slipway-api', service.ports[0].port]);
  const images = pods.flatMap(({ spec }) =>
    [...spec.initContainers, ...spec.containers].map(({ image }: any) => image),
  );
  expect(new Set(images)).toEqual(new Set(['slipway']));
  // The pods that agents' network policies admit, and the labels of the platform's pods.
  for (const { metadata } of pods) expect(metadata.labels['app.kubernetes.io/name']).toBe('slipway');
  expect(byKind('Namespace').map(({ metadata }) => metadata.name)).toEqual([
    data.SLIPWAY_KUBERNETES_PLATFORM_NAMESPACE,
    data.SLIPWAY_KUBERNETES_NAMESPACE,
  ]);
  for (const { spec } of byKind('PodDisruptionBudget'))
    expect(
      pods.some(
        ({ metadata }) => JSON.stringify(metadata.labels) === JSON.stringify(spec.selector.matchLabels),
      ),
    ).toBe(true);
});
