import * as kubernetes from '@kubernetes/client-node';
import type { StoredObject } from './object-store.ts';

/** A real API server's refusal of a request. */
export class Refusal extends Error {
  readonly code: number;
  readonly reason: string;
  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

type Sent = Partial<Omit<StoredObject, 'metadata'>> & { metadata?: Partial<StoredObject['metadata']> };
interface Attribute {
  baseName: string;
  type: string;
  format: string;
}

const SUBDOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
const LABEL_1123 = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const LABEL_1035 = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;
const LABEL_KEY = /^([a-z0-9.-]{1,253}\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;
const QUANTITY = /^\d+(\.\d+)?(m|Ki|Mi|Gi|Ti|k|M|G)?$/;
const MOST_SECRET_BYTES = 1_048_576;

/** Throws what a real API server would refuse: unknown fields, bad names and labels, immutable fields. */
export function check(sent: Sent, before: StoredObject | undefined): void {
  const { kind = '', metadata = {}, spec } = sent;
  const name = metadata.name ?? '';
  checkFields(sent, `V1${kind}`, '');
  const refuse = (field: string, why: string): never => {
    throw new Refusal(422, 'Invalid', `${kind} "${name}" is invalid: ${field}: Invalid value: ${why}`);
  };
  if (!SUBDOMAIN.test(name) || name.length > 253) refuse('metadata.name', name);
  if (kind === 'Service' && !LABEL_1035.test(name)) refuse('metadata.name', name);
  const labelled = [metadata.labels, spec?.template?.metadata?.labels, spec?.selector?.matchLabels];
  for (const [key, value] of labelled.flatMap((labels) => Object.entries((labels ?? {}) as object)))
    if (!LABEL_KEY.test(key) || !LABEL_VALUE.test(value)) refuse('metadata.labels', `${key}=${value}`);
  if (kind === 'Secret') checkSecret(sent, refuse);
  if (kind === 'Service' && !(spec?.ports?.length > 0)) refuse('spec.ports', 'Required value');
  if (kind === 'Deployment') {
    if (before && JSON.stringify(before.spec.selector) !== JSON.stringify(spec.selector))
      refuse('spec.selector', 'field is immutable');
    const selected = Object.entries(spec.selector?.matchLabels ?? {});
    if (
      selected.length === 0 ||
      selected.some(([key, value]) => spec.template.metadata?.labels?.[key] !== value)
    )
      refuse('spec.template.metadata.labels', '`selector` does not match template `labels`');
    checkPod(spec.template.spec, refuse);
  }
}

type Refuse = (field: string, why: string) => never;

function checkSecret({ data = {} }: Sent, refuse: Refuse): void {
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    if (!/^[-._a-zA-Z0-9]{1,253}$/.test(key)) refuse(`data[${key}]`, key);
    const bytes = Buffer.from(value, 'base64');
    if (bytes.toString('base64') !== value) refuse(`data[${key}]`, 'not base64');
    size += bytes.length;
  }
  if (size > MOST_SECRET_BYTES) refuse('data', 'Too long: must have at most 1048576 bytes');
}

function checkPod(pod: any, refuse: Refuse): void {
  const volumes = new Set<string>((pod.volumes ?? []).map((volume: { name: string }) => volume.name));
  const containers = [...(pod.initContainers ?? []), ...pod.containers];
  if (pod.containers.length === 0) refuse('spec.containers', 'Required value');
  if (new Set(containers.map(({ name }) => name)).size < containers.length)
    refuse('spec.containers', 'Duplicate value');
  for (const { name, image, resources, volumeMounts = [], env = [] } of containers) {
    const place = `spec.containers[${name}]`;
    if (!LABEL_1123.test(name)) refuse(`${place}.name`, name);
    if (!image) refuse(`${place}.image`, 'Required value');
    for (const mount of volumeMounts)
      if (!volumes.has(mount.name)) refuse(`${place}.volumeMounts`, mount.name);
    for (const variable of env)
      if (!/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(variable.name)) refuse(`${place}.env`, variable.name);
    for (const [resource, wanted] of Object.entries<string>(resources?.requests ?? {})) {
      const most = resources.limits?.[resource];
      if (!QUANTITY.test(wanted)) refuse(`${place}.resources`, wanted);
      if (most && quantity(wanted) > quantity(most))
        refuse(`${place}.resources`, `${wanted} is more than ${most}`);
    }
  }
}

const UNITS: Record<string, number> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** A Kubernetes quantity as a number. */
export function quantity(text: string): number {
  const [, number, unit = ''] = /^([\d.]+)(\D*)$/.exec(text) ?? [];
  return Number(number) * (UNITS[unit] ?? 1);
}

/** The library's models are generated from Kubernetes' own schema, so a field in none of them is unknown there. */
function checkFields(value: unknown, type: string, path: string): void {
  const list = /^Array<(.*)>$/.exec(type)?.[1];
  const map = /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1];
  if (value === undefined) return;
  if (list)
    return (value as unknown[]).forEach((item, index) => checkFields(item, list, `${path}[${index}]`));
  if (map)
    return Object.entries(value as object).forEach(([key, item]) => checkFields(item, map, `${path}.${key}`));
  const model = (kubernetes as unknown as Record<string, { getAttributeTypeMap?(): Attribute[] }>)[type];
  if (!model?.getAttributeTypeMap) return checkScalar(value, type, path);
  const known = new Map(model.getAttributeTypeMap().map((attribute) => [attribute.baseName, attribute]));
  for (const [key, item] of Object.entries(value as object)) {
    const attribute = known.get(key);
    if (!attribute)
      throw new Refusal(
        500,
        'InternalError',
        `failed to create typed patch object: ${path}.${key}: field not declared in schema`,
      );
    if (/^int(32|64)$/.test(attribute.format) && item !== undefined && !Number.isInteger(item))
      throw new Refusal(400, 'BadRequest', `${path}.${key}: cannot unmarshal number ${item} into an integer`);
    checkFields(item, attribute.type, `${path}.${key}`);
  }
}

function checkScalar(value: unknown, type: string, path: string): void {
  if (['string', 'number', 'boolean'].includes(type) && typeof value !== type)
    throw new Refusal(400, 'BadRequest', `${path}: cannot unmarshal ${typeof value} into a ${type}`);
}
