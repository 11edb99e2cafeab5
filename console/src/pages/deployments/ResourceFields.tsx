import { Fieldset, TextInput } from '@mantine/core';
import { faultAt } from '../../parts/field-faults.ts';
import type { FieldsProps } from './DeploymentForm.tsx';
import type { FormValues } from './form-values.ts';
import classes from './DeploymentForm.module.css';

const FIELDS: [name: keyof FormValues['resources'], label: string, placeholder: string][] = [
  ['min_scale', 'Minimum replicas', '1; 0 allows it to sleep'],
  ['max_scale', 'Maximum replicas', '1'],
  ['cpu', 'CPU cores per replica', 'unlimited'],
  ['memory_limit_mb', 'Memory per replica, in MB', 'platform default'],
];

/** Number of replicas and their resources. */
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
