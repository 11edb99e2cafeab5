import { Button, NativeSelect, Switch } from '@mantine/core';
import classes from './QuickFilters.module.css';
import { RANGES, type RunFilters } from './use-run-filters.ts';

const TYPES = ['llm', 'chain', 'tool', 'retriever', 'embedding', 'prompt', 'parser'];

/** Filters that need no filter expression. */
export function QuickFilters({ filters }: { filters: RunFilters }) {
  const { range, type, onlyErrors, allRuns, isLive, cursor, change } = filters;
  return (
    <div className={classes.row} role="group" aria-label="Quick filters">
      <NativeSelect
        size="xs"
        aria-label="Time range"
        value={range}
        data={Object.entries(RANGES).map(([value, { label }]) => ({ value, label }))}
        onChange={(event) => change('range', event.currentTarget.value)}
      />
      <NativeSelect
        size="xs"
        aria-label="Run type"
        value={type}
        data={[{ value: '', label: 'Any type' }, ...TYPES]}
        onChange={(event) => change('type', event.currentTarget.value)}
      />
      <Toggle isOn={!allRuns} label="Roots only" onToggle={() => change('all', allRuns ? '' : '1')} />
      <Toggle isOn={onlyErrors} label="Errors" onToggle={() => change('errors', onlyErrors ? '' : '1')} />
      <span className={classes.space} />
      <Switch
        size="xs"
        label="Live"
        checked={isLive}
        disabled={cursor !== undefined}
        onChange={() => change('live', isLive ? '' : '1')}
      />
    </div>
  );
}

const Toggle = ({ isOn, label, onToggle }: { isOn: boolean; label: string; onToggle: () => void }) => (
  <Button variant={isOn ? 'light' : 'default'} aria-pressed={isOn} onClick={onToggle}>
    {label}
  </Button>
);
