import { Checkbox, Group, PasswordInput, Textarea, TextInput } from '@mantine/core';
import type { Integration } from '../../api/integration-records.ts';
import { CREDENTIAL_NAMES, type CredentialName, keptCredentials } from './credentials.ts';

interface Field {
  value: string;
  error: string | undefined;
  onChange: (event: { currentTarget: { value: string } }) => void;
}

/** Credentials of a git host. Stored ones are write-only and kept if left empty. */
export function CredentialFields({
  integration,
  field,
  removed,
  onRemove,
}: {
  integration: Integration | undefined;
  field: (name: CredentialName) => Field;
  removed: string[];
  onRemove: (names: string[]) => void;
}) {
  const kept = keptCredentials(integration);
  const inputOf = (name: CredentialName, placeholder = '') => ({
    ...field(name),
    placeholder: removed.includes(name) ? 'will be removed' : kept.includes(name) ? 'unchanged' : placeholder,
  });
  const lines = { autosize: true, minRows: 2, maxRows: 6, classNames: { input: 'mono' } };
  return (
    <>
      <PasswordInput
        size="sm"
        label="Token"
        description="Fetches repositories over HTTPS and reports commit statuses"
        autoComplete="off"
        {...inputOf('token')}
      />
      <TextInput
        label="User"
        description="For the token, if the host requires a specific one"
        autoComplete="off"
        {...inputOf('username')}
      />
      <Textarea
        label="SSH key"
        description="Private key for repositories over SSH"
        {...lines}
        {...inputOf('ssh_key', '-----BEGIN OPENSSH PRIVATE KEY-----')}
      />
      <Textarea
        label="Known hosts"
        description="Output of ssh-keyscan; only these host keys are trusted. If empty, the first key seen is trusted"
        {...lines}
        {...inputOf('ssh_known_hosts', 'git.example.com ssh-ed25519 AAAA…')}
      />
      {kept.length > 0 && (
        <Checkbox.Group label="Remove" value={removed} onChange={onRemove}>
          <Group gap="md" mt={6}>
            {kept.map((name) => (
              <Checkbox key={name} value={name} label={CREDENTIAL_NAMES[name]} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
    </>
  );
}
