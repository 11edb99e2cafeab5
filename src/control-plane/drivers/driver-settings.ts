import { type TProperties, Type } from 'typebox';
import { StringEnum } from '../../platform/schema.ts';
import { seconds, text } from '../../platform/service-settings.ts';

const name = (description: string, byDefault: string) =>
  Type.String({ description, default: byDefault, pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' });

/** What runs revisions, and how it is reached. */
export const driverSettings = {
  SLIPWAY_DRIVER: StringEnum(['process', 'docker', 'kubernetes'], {
    default: 'process',
    description: 'what runs revisions: processes of this machine, containers of an engine, pods of a cluster',
  }),
  SLIPWAY_DOCKER_SOCKET: Type.String({
    default: '/var/run/docker.sock',
    description: 'where the Docker API answers: path of a socket, or an address such as tcp://host:2375',
  }),
  SLIPWAY_DOCKER_CERT_PATH: Type.Optional(
    Type.String({
      description:
        'folder of ca.pem, cert.pem and key.pem: an address with tcp:// is asked over TLS, with them',
    }),
  ),
  SLIPWAY_DOCKER_BASE_IMAGE: Type.String({
    default: 'slipway',
    description: 'image that runs what was built: its entrypoint is `slipway`, as that of our Dockerfile',
  }),
  SLIPWAY_DOCKER_NETWORK: Type.String({
    default: 'host',
    description: 'network of containers: `host`, or one the platform is in, too',
  }),
  SLIPWAY_DOCKER_USER: Type.Optional(
    Type.String({
      pattern: '^[\\w.-]+(:[\\w.-]+)?$',
      description:
        'user of containers; by default a number for each deployment, and the image’s own where a deployment is an image',
    }),
  ),
  SLIPWAY_REGISTRY_AUTH_FILE: Type.Optional(
    Type.String({
      description:
        'file of logins as `docker login` writes it, for images of registries that ask who pulls; helpers it names are asked',
    }),
  ),
  SLIPWAY_REGISTRY_HELPER_SECONDS: seconds('how long a credential helper of that file may take', 10),
  SLIPWAY_KUBECONFIG: Type.Optional(
    Type.String({
      description:
        'kubeconfig of the cluster; by default `KUBECONFIG`, `~/.kube/config`, or the pod’s own account',
    }),
  ),
  SLIPWAY_KUBERNETES_NAMESPACE: name('namespace agents run in', 'slipway-agents'),
  SLIPWAY_KUBERNETES_PLATFORM_NAMESPACE: name(
    'namespace whose pods may reach agents: the platform’s',
    'slipway',
  ),
  SLIPWAY_KUBERNETES_PLATFORM_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'address under which pods fetch artifacts; by default `SLIPWAY_PUBLIC_URL`',
    }),
  ),
  SLIPWAY_KUBERNETES_IMAGE: Type.String({
    default: 'slipway:latest',
    pattern: '^[^\\s]+$',
    description: 'image of this platform, which agents that were built from a project run on',
  }),
  SLIPWAY_ARTIFACT_URL_SECONDS: seconds('how long an address for fetching an artifact is good', 86_400, {
    minimum: 60,
  }),
  SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES: Type.String({
    default: 'none',
    description:
      'private and loopback addresses webhooks of deployments may lead to: `all`, `none`, or names, addresses and networks (`10.0.0.0/8`), separated by commas',
  }),
  SLIPWAY_FENCE_ALLOW: text(
    'private destinations that agents and builds may reach: networks (`10.1.0.0/16`), addresses, or addresses with a port (`10.1.2.3:8080`), separated by commas',
  ),
  SLIPWAY_FENCE_DENY: text(
    'destinations on the Internet that agents and builds may not reach, written in the same way',
  ),
  SLIPWAY_TRACE_AGENTS: Type.Boolean({
    default: true,
    description: 'agents log their runs here, unless their own environment says otherwise',
  }),
  SLIPWAY_TRACE_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description:
        'address agents log their runs to; by default `SLIPWAY_PUBLIC_URL`, for pods `SLIPWAY_KUBERNETES_PLATFORM_URL`',
    }),
  ),
} satisfies TProperties;
