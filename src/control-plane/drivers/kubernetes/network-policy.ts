import type { V1NetworkPolicyEgressRule, V1NetworkPolicySpec } from '@kubernetes/client-node';
import { LABELS } from './object-names.ts';

export interface NetworkPolicyOptions {
  revisionId: string;
  /** Namespace of the platform's own pods. */
  platformNamespace: string;
  /** Ports of Postgres, of Temporal and of whatever else agents are to reach wherever it is. */
  servicePorts: number[];
  port: number;
}

const DNS = 53;
// What is not the internet: other pods, services, nodes, their metadata.
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10'];
const PRIVATE_6 = ['fc00::/7', 'fe80::/10'];

/**
 * Who may reach an agent, and whom it may reach: the platform's pods come in; DNS, the ports of Postgres and Temporal
 * and the internet go out. So no agent reaches another one, nor what else is in the cluster.
 */
export function networkPolicySpec(options: NetworkPolicyOptions): V1NetworkPolicySpec {
  const { revisionId, platformNamespace, servicePorts, port } = options;
  const platform = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': platformNamespace } },
    podSelector: { matchLabels: { 'app.kubernetes.io/name': 'slipway' } },
  };
  const egress: V1NetworkPolicyEgressRule[] = [
    { ports: [dns('UDP'), dns('TCP')] },
    { ports: [...new Set(servicePorts)].map((number) => ({ protocol: 'TCP', port: number })) },
    // Its artifact is fetched there.
    {
      to: [{ ...platform, podSelector: { matchLabels: { ...platform.podSelector.matchLabels, ...API } } }],
    },
    {
      to: [
        { ipBlock: { cidr: '0.0.0.0/0', except: PRIVATE } },
        { ipBlock: { cidr: '::/0', except: PRIVATE_6 } },
      ],
    },
  ];
  return {
    podSelector: { matchLabels: { [LABELS.revision]: revisionId } },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ _from: [platform], ports: [{ protocol: 'TCP', port }] }],
    egress,
  };
}

const API = { 'app.kubernetes.io/component': 'api' };
const dns = (protocol: 'UDP' | 'TCP') => ({ protocol, port: DNS });
