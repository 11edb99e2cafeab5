import { ActionIcon, Button, Fieldset, PasswordInput, Text, TextInput } from '@mantine/core';
import { Icon } from '../../parts/Icon.tsx';
import { faultAt } from '../../parts/field-faults.ts';
import classes from './DeploymentForm.module.css';
import type { FieldsProps } from './DeploymentForm.tsx';
import type { Variable } from './form-values.ts';

let made = 0;

/** Environment variables of the agent. Stored values are write-only and kept unless replaced. */
export function VariableFields({ values: { variables, removed }, change, error }: FieldsProps) {
  const edit = (key: string, changes: Partial<Variable>): void =>
    change({ variables: variables.map((one) => (one.key === key ? { ...one, ...changes } : one)) });
  const drop = ({ key, name }: Variable): void =>
    change({
      variables: variables.filter((one) => one.key !== key),
      // Renaming a stored variable removes the old name.
      removed: key === name ? [...removed, name] : removed,
    });
  const add = (): void =>
    change({ variables: [...variables, { key: `new ${made++}`, name: '', value: '', isKept: false }] });
  const sent = variables.filter(({ isKept }) => !isKept);
  return (
    <Fieldset legend="Environment">
      {variables.length === 0 && (
        <Text size="sm" c="dimmed" mb="xs">
          No variables. Add API keys of model providers here. Values are encrypted and only visible to the
          agent.
        </Text>
      )}
      {variables.map((variable) => {
        const place = `secrets.${sent.indexOf(variable)}`;
        const title = variable.name || 'the new variable';
        return (
          <div key={variable.key} className={classes.variable}>
            <TextInput
              aria-label={`Name of ${title}`}
              placeholder="NAME"
              classNames={{ input: 'mono' }}
              value={variable.name}
              readOnly={variable.key === variable.name}
              variant={variable.key === variable.name ? 'filled' : 'default'}
              error={variable.isKept ? undefined : faultAt(error, `${place}.name`)}
              onChange={(event) => edit(variable.key, { name: event.currentTarget.value })}
            />
            <PasswordInput
              size="sm"
              aria-label={`Value of ${title}`}
              placeholder={variable.isKept ? 'unchanged' : 'value'}
              autoComplete="off"
              value={variable.value}
              error={variable.isKept ? undefined : faultAt(error, `${place}.value`)}
              onChange={(event) => edit(variable.key, { value: event.currentTarget.value, isKept: false })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={`Remove ${title}`}
              onClick={() => drop(variable)}
            >
              <Icon name="trash" />
            </ActionIcon>
          </div>
        );
      })}
      <Button variant="default" leftSection={<Icon name="plus" size={13} />} onClick={add}>
        Add variable
      </Button>
    </Fieldset>
  );
}
