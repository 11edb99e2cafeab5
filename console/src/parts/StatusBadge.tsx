import classes from './StatusBadge.module.css';

export type Tone = 'ok' | 'warn' | 'bad' | 'busy' | 'idle';

const TONES: Record<string, Tone> = {
  // Revisions and deployments.
  DEPLOYED: 'ok',
  READY: 'ok',
  CREATING: 'busy',
  QUEUED: 'busy',
  AWAITING_BUILD: 'busy',
  BUILDING: 'busy',
  AWAITING_DEPLOY: 'busy',
  DEPLOYING: 'busy',
  AWAITING_DATABASE: 'busy',
  CREATE_FAILED: 'bad',
  BUILD_FAILED: 'bad',
  DEPLOY_FAILED: 'bad',
  INTERRUPTED: 'warn',
  UNKNOWN: 'warn',
  // Runs and threads.
  success: 'ok',
  idle: 'idle',
  pending: 'busy',
  running: 'busy',
  busy: 'busy',
  error: 'bad',
  timeout: 'bad',
  interrupted: 'warn',
};

export const toneOf = (status: string): Tone => TONES[status] ?? 'idle';

/** `BUILD_FAILED` becomes `Build failed`. */
export const statusText = (status: string): string => {
  const words = status.replaceAll('_', ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** A status as text with a coloured dot, which pulses for transient states. */
export function StatusBadge({ status, tone, label }: { status: string; tone?: Tone; label?: string }) {
  const shown = tone ?? toneOf(status);
  return (
    <span className={classes.badge} data-tone={shown}>
      <span className={classes.dot} aria-hidden="true" />
      {label ?? statusText(status)}
    </span>
  );
}
