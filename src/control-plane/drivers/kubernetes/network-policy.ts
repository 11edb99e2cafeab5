import type {
  V1NetworkPolicyEgressRule,
  V1NetworkPolicyIngressRule,
  V1NetworkPolicySpec,
} from '@kubernetes/client-node';
import type { FenceRules } from '../../fence/rules.ts';
import { HOST_PORT, PORT } from './agent-pod.ts';
import { destinationRules, internetRules } from './internet-rules.ts';
import { type Part, partLabels } from './object-names.ts';

export interface NetworkPolicyOptions {
  revisionId: string;
  /** Namespace of the platform's own pods. */
  platformNamespace: string;
  /** Ports of Postgres and Temporal, wherever they are. */
  servicePorts: number[];
  fence: FenceRules;
}

const DNS_PORT = 53;
const DNS: V1NetworkPolicyEgressRule = {
  ports: (['UDP', 'TCP'] as const).map((protocol) => ({ protocol, port: DNS_PORT })),
};
const API = { 'app.kubernetes.io/component': 'api' };

/** What may reach the pods of a part, and what they may reach: nothing else of the platform, of agents or of the cluster. */
export function networkPolicySpec(part: Part, options: NetworkPolicyOptions): V1NetworkPolicySpec {
  return {
    podSelector: { matchLabels: partLabels(options.revisionId, part) },
    policyTypes: ['Ingress', 'Egress'],
    ingress: ingressOf(part, options),
    egress: egressOf(part, options),
  };
}

function ingressOf(
  part: Part,
  { revisionId, platformNamespace }: NetworkPolicyOptions,
): V1NetworkPolicyIngressRule[] {
  if (part === 'host') return [];
  const gateways = { _from: [platformPods(platformNamespace)], ports: [{ protocol: 'TCP', port: PORT }] };
  if (part === 'agent') return [gateways];
  const hosts = {
    _from: [{ podSelector: { matchLabels: partLabels(revisionId, 'host') } }],
    ports: [{ protocol: 'TCP', port: HOST_PORT }],
  };
  return [gateways, hosts];
}

function egressOf(part: Part, options: NetworkPolicyOptions): V1NetworkPolicyEgressRule[] {
  const { revisionId, platformNamespace, servicePorts, fence } = options;
  // The API takes traces and hands out artifacts; both need a key.
  const open = [DNS, { to: [platformPods(platformNamespace, API)] }];
  if (part === 'server')
    return [
      ...open,
      { ports: [...new Set(servicePorts)].map((port) => ({ protocol: 'TCP', port })) },
      // Webhooks: the server checks their addresses itself.
      ...internetRules({ allow: [], deny: [], services: [] }),
      ...destinationRules({ ...fence, services: [] }),
    ];
  const server = {
    to: [{ podSelector: { matchLabels: partLabels(revisionId, 'server') } }],
    ports: [{ protocol: 'TCP', port: HOST_PORT }],
  };
  return [...open, ...(part === 'host' ? [server] : []), ...internetRules(fence), ...destinationRules(fence)];
}

const platformPods = (namespace: string, component: Record<string, string> = {}) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  podSelector: { matchLabels: { 'app.kubernetes.io/name': 'slipway', ...component } },
});
