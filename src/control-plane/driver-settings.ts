import { type TProperties, Type } from 'typebox';
import { StringEnum } from '../platform/schema.ts';
import { seconds, text } from '../platform/service-settings.ts';

const name = (description: string, byDefault: string) =>
  Type.String({ description, default: byDefault, pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' });

/** Settings of the drivers that run revisions. */
export const driverSettings = {
  SLIPWAY_DRIVER: StringEnum(['process', 'docker', 'kubernetes'], {
    default: 'process',
    description: 'Where agents run: in processes on this machine, Docker containers or Kubernetes pods',
  }),
  SLIPWAY_DOCKER_SOCKET: Type.String({
    default: '/var/run/docker.sock',
    description: 'Address of the Docker API: path of a socket, or a URL such as tcp://host:2375',
  }),
  SLIPWAY_DOCKER_CERT_PATH: Type.Optional(
    Type.String({
      description: 'Folder with ca.pem, cert.pem and key.pem; turns on TLS for a tcp:// address',
    }),
  ),
  SLIPWAY_DOCKER_BASE_IMAGE: Type.String({
    default: 'slipway',
    description:
      'Image of this version for servers, fences and agents built from source; its entrypoint must be `slipway`',
  }),
  SLIPWAY_DOCKER_NETWORK: Type.String({
    default: 'host',
    description: 'Network of the servers of agents: `host`, or one that the platform is connected to',
  }),
  SLIPWAY_DOCKER_USER: Type.Optional(
    Type.String({
      pattern: '^[\\w.-]+(:[\\w.-]+)?$',
      description:
        "User that servers and graph hosts run as; defaults to one per deployment, and to the image's own for deployed images",
    }),
  ),
  SLIPWAY_REGISTRY_AUTH_FILE: Type.Optional(
    Type.String({
      description:
        'Credentials for pulling from private registries, in the format of `docker login`, credential helpers included',
    }),
  ),
  SLIPWAY_REGISTRY_HELPER_SECONDS: seconds('Timeout of a credential helper', 10),
  SLIPWAY_KUBECONFIG: Type.Optional(
    Type.String({
      description:
        "Kubeconfig of the cluster; defaults to `KUBECONFIG`, `~/.kube/config`, then the pod's service account",
    }),
  ),
  SLIPWAY_KUBERNETES_NAMESPACE: name('Namespace that agents run in', 'slipway-agents'),
  SLIPWAY_KUBERNETES_PLATFORM_NAMESPACE: name(
    "The platform's namespace; its pods may reach agents",
    'slipway',
  ),
  SLIPWAY_KUBERNETES_PLATFORM_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'URL at which pods fetch artifacts; defaults to `SLIPWAY_PUBLIC_URL`',
    }),
  ),
  SLIPWAY_KUBERNETES_IMAGE: Type.String({
    default: 'slipway:latest',
    pattern: '^[^\\s]+$',
    description: 'Slipway image, for agents built from source',
  }),
  SLIPWAY_ARTIFACT_URL_SECONDS: seconds('Lifetime of an artifact URL', 86_400, {
    minimum: 60,
  }),
  SLIPWAY_WEBHOOK_PRIVATE_ADDRESSES: Type.String({
    default: 'none',
    description:
      'Private and loopback addresses that webhooks of deployments may reach: `all`, `none`, or a comma-separated list of names, addresses and networks (`10.0.0.0/8`)',
  }),
  SLIPWAY_FENCE_ALLOW: text(
    'Private destinations that agents and builds may reach: a comma-separated list of networks (`10.1.0.0/16`) and addresses with or without a port (`10.1.2.3:8080`)',
  ),
  SLIPWAY_FENCE_DENY: text("Internet destinations that agents and builds can't reach, in the same format"),
  SLIPWAY_TRACE_AGENTS: Type.Boolean({
    default: true,
    description: 'Trace agents on this platform, unless their environment says otherwise',
  }),
  SLIPWAY_TRACE_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description:
        'URL that agents send traces to; defaults to `SLIPWAY_PUBLIC_URL`, in pods to `SLIPWAY_KUBERNETES_PLATFORM_URL`',
    }),
  ),
} satisfies TProperties;
