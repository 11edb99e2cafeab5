import { type FieldError, InvalidFields } from '../errors.ts';

/** How many replicas a revision may have, and what each may use. */
export interface ScaleBounds {
  /** 0 lets it sleep. */
  min: number;
  max: number;
  /** Cores of a replica, by which its load is judged. */
  cores: number;
}

interface Spec {
  min_scale?: number | null;
  max_scale?: number | null;
  cpu?: number | null;
}

type Config = Record<string, unknown>;

// Contract §2.8. What names no type is like `dev`.
const ONE: ScaleBounds = { min: 1, max: 1, cores: 1 };
const DEFAULTS: Record<string, ScaleBounds> = {
  dev: ONE,
  dev_free: ONE,
  prod: { min: 1, max: 10, cores: 2 },
  dev_zero: { ...ONE, min: 0 },
  dev_free_zero: { ...ONE, min: 0 },
};

const defaultsOf = ({ deployment_type }: Config): ScaleBounds =>
  (typeof deployment_type === 'string' && DEFAULTS[deployment_type]) || ONE;

/** What the configuration asks for, up to `limit` replicas. */
export function boundsOf(config: Config, limit: number): ScaleBounds {
  const usual = defaultsOf(config);
  const { min_scale, max_scale, cpu } = (config['resource_spec'] ?? {}) as Spec;
  const max = Math.min(limit, max_scale ?? Math.max(usual.max, min_scale ?? 0));
  return { min: Math.min(min_scale ?? usual.min, max), max, cores: cpu ?? usual.cores };
}

/** Throws InvalidFields: only the types that end in `_zero` may have none (contract §2.4). */
export function checkBounds(config: Config): void {
  const { min_scale, max_scale } = (config['resource_spec'] ?? {}) as Spec;
  const faults: FieldError[] = [];
  const at = (key: string) => ['body', 'source_config', 'resource_spec', key];
  if (min_scale === 0 && defaultsOf(config).min > 0)
    faults.push({
      loc: at('min_scale'),
      msg: 'min_scale may be 0 for deployment_type dev_zero and dev_free_zero only',
      type: 'value_error',
    });
  if (min_scale != null && max_scale != null && min_scale > max_scale)
    faults.push({ loc: at('min_scale'), msg: 'min_scale exceeds max_scale', type: 'value_error' });
  if (faults.length > 0) throw new InvalidFields(faults);
}
