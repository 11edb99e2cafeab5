import type { DeploymentHealth } from '../../api/control-plane-records.ts';
import { StatusBadge, type Tone } from '../../parts/StatusBadge.tsx';

const SHOWN: Record<DeploymentHealth['health'], [label: string, tone: Tone]> = {
  serving: ['Serving', 'ok'],
  degraded: ['Degraded', 'warn'],
  down: ['Down', 'bad'],
  asleep: ['Asleep', 'idle'],
  unknown: ['Unknown', 'warn'],
  none: ['Not running', 'idle'],
};

/** Health badge of a deployment. */
export function Health({ of }: { of: DeploymentHealth | undefined | null }) {
  if (!of) return <span>–</span>;
  const [label, tone] = SHOWN[of.health];
  return <StatusBadge status={of.health} label={label} tone={tone} />;
}

/** `2 of 3`. */
export const Replicas = ({ of }: { of: DeploymentHealth | undefined | null }) => (
  <span className="numeric">
    {of
      ? of.replicas.wanted === of.replicas.running
        ? of.replicas.running
        : `${of.replicas.running} of ${of.replicas.wanted}`
      : '–'}
  </span>
);

/** Requests per minute and error rate. */
export function TrafficText({ of }: { of: DeploymentHealth | undefined | null }) {
  if (!of?.traffic) return <span>–</span>;
  const { requests, failed } = of.traffic;
  const perMinute = (requests * 60) / of.window_seconds;
  const rate = perMinute >= 10 ? Math.round(perMinute) : Number(perMinute.toFixed(1));
  return (
    <span className="numeric" style={{ whiteSpace: 'nowrap' }}>
      {rate}/min
      {failed > 0 && (
        <span style={{ color: 'var(--bad)' }}> · {((100 * failed) / requests).toFixed(1)} % failed</span>
      )}
    </span>
  );
}
