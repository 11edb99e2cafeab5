import { Fieldset, TextInput } from '@mantine/core';
import { faultAt } from '../../parts/field-faults.ts';
import type { FieldsProps } from './DeploymentForm.tsx';
import type { FormValues } from './form-values.ts';
import classes from './DeploymentForm.module.css';

const FIELDS: [name: keyof FormValues['resources'], label: string, placeholder: string][] = [
  ['min_scale', 'Fewest replicas', '1; with 0 it may sleep'],
  ['max_scale', 'Most replicas', '1'],
  ['cpu', 'Cores each', 'as many as there are'],
  ['memory_limit_mb', 'Memory each, in MB', 'as the platform says'],
];

/** What a replica may use, and how many there may be. */
export const ResourceFields = ({ values: { resources }, change, error }: FieldsProps) => (
  <Fieldset legend="Resources">
    <div className={classes.columns}>
      {FIELDS.map(([name, label, placeholder]) => (
        <TextInput
          key={name}
          label={label}
          name={name}
          inputMode="decimal"
          placeholder={placeholder}
          value={resources[name]}
          error={faultAt(error, `source_config.resource_spec.${name}`)}
          onChange={(event) => change({ resources: { ...resources, [name]: event.currentTarget.value } })}
        />
      ))}
    </div>
  </Fieldset>
);
