import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import { memoryOf } from './agent-limits.ts';
import { type FieldError, InvalidFields } from '../errors.ts';

/** Bounds for a revision's replicas, and resources per replica. */
export interface ScaleBounds {
  /** 0 lets it sleep. */
  min: number;
  max: number;
  /** Upper bounds for request load and for pending runs (contract §2.4, `queue_*`). */
  serving: number;
  queue: number;
  /** Cores and MB per replica, the basis for its load. */
  cores: number;
  megabytes: number;
}

type Scale = 'min_scale' | 'max_scale' | 'queue_min_scale' | 'queue_max_scale' | 'cpu' | 'queue_cpu';
type Spec = Partial<Record<Scale, number | null>>;

type Config = Record<string, unknown>;

// Defaults (contract §2.8). Without a type, like `dev`.
type Usual = Pick<ScaleBounds, 'min' | 'max' | 'cores'>;
const ONE: Usual = { min: 1, max: 1, cores: 1 };
const DEFAULTS: Record<string, Usual> = {
  dev: ONE,
  dev_free: ONE,
  prod: { min: 1, max: 10, cores: 2 },
  dev_zero: { ...ONE, min: 0 },
  dev_free_zero: { ...ONE, min: 0 },
};

const defaultsOf = ({ deployment_type }: Config): Usual =>
  (typeof deployment_type === 'string' && DEFAULTS[deployment_type]) || ONE;

const specOf = (config: Config): Spec => config['resource_spec'] ?? {};

/** The queue's range defaults to the general one. */
function ranges(config: Config) {
  const usual = defaultsOf(config);
  const { min_scale, max_scale, queue_min_scale, queue_max_scale } = specOf(config);
  const min = min_scale ?? usual.min;
  const queueMin = queue_min_scale ?? min;
  return {
    serving: { min, max: max_scale ?? Math.max(usual.max, min) },
    queue: { min: queueMin, max: queue_max_scale ?? max_scale ?? Math.max(usual.max, queueMin) },
  };
}

type Settings = Pick<ControlPlaneSettings, 'SLIPWAY_REPLICAS_LIMIT'> & Parameters<typeof memoryOf>[1];

/** The configured bounds within the platform's limit; a replica serves requests and executes runs. */
export function boundsOf(config: Config, settings: Settings): ScaleBounds {
  const upTo = (number: number) => Math.min(number, settings.SLIPWAY_REPLICAS_LIMIT);
  const { serving, queue } = ranges(config);
  const { cpu, queue_cpu } = specOf(config);
  const max = upTo(Math.max(serving.max, queue.max));
  return {
    min: Math.min(Math.max(serving.min, queue.min), max),
    max,
    serving: upTo(serving.max),
    queue: upTo(queue.max),
    cores: Math.max(cpu ?? 0, queue_cpu ?? 0) || defaultsOf(config).cores,
    megabytes: memoryOf({ source_config: config }, settings),
  };
}

/** Throws InvalidFields: only types ending in `_zero` may scale to zero (contract §2.4). */
export function checkBounds(config: Config): void {
  const faults: FieldError[] = [];
  const fault = (key: string, msg: string) =>
    faults.push({ loc: ['body', 'source_config', 'resource_spec', key], msg, type: 'value_error' });
  const spec = specOf(config);
  const { serving, queue } = ranges(config);
  for (const [prefix, { min, max }] of [
    ['', serving],
    ['queue_', queue],
  ] as const) {
    const [least, most] = [`${prefix}min_scale`, `${prefix}max_scale`] as [Scale, Scale];
    if (spec[least] === 0 && defaultsOf(config).min > 0)
      fault(least, `${least} may be 0 for deployment_type dev_zero and dev_free_zero only`);
    if (min > max && (spec[least] ?? spec[most]) != null) fault(least, `${least} exceeds ${most}`);
  }
  if (faults.length > 0) throw new InvalidFields(faults);
}
