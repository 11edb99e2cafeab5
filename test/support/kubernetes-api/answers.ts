import type { ServerResponse } from 'node:http';
import { Refusal } from './object-rules.ts';

/** Kinds that the server supports, by group and version. */
export const GROUPS: Record<string, Record<string, string>> = {
  v1: { pods: 'Pod', services: 'Service', secrets: 'Secret' },
  'apps/v1': { deployments: 'Deployment', replicasets: 'ReplicaSet' },
  'networking.k8s.io/v1': { networkpolicies: 'NetworkPolicy' },
  'metrics.k8s.io/v1beta1': { pods: 'PodMetrics' },
};

export const notFound = (message: string) => new Refusal(404, 'NotFound', message);

export const status = ({ code, reason, message }: Refusal) => ({
  apiVersion: 'v1',
  kind: 'Status',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  code,
});

export const discovery = (groupVersion: string, kinds: Record<string, string>) => ({
  kind: 'APIResourceList',
  groupVersion,
  resources: Object.entries(kinds).map(([name, kind]) => ({
    name,
    kind,
    namespaced: true,
    singularName: '',
    verbs: [],
  })),
});

export function send(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
