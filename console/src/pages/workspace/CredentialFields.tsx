import { Checkbox, Group, PasswordInput, Textarea, TextInput } from '@mantine/core';
import type { Integration } from '../../api/integration-records.ts';
import { CREDENTIAL_NAMES, type CredentialName, keptCredentials } from './credentials.ts';

interface Field {
  value: string;
  error: string | undefined;
  onChange: (event: { currentTarget: { value: string } }) => void;
}

/** What lets the platform in. What is kept is never told: left empty, it stays. */
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
    placeholder: removed.includes(name)
      ? 'is taken away'
      : kept.includes(name)
        ? 'stays as it is'
        : placeholder,
  });
  const lines = { autosize: true, minRows: 2, maxRows: 6, classNames: { input: 'mono' } };
  return (
    <>
      <PasswordInput
        size="sm"
        label="Token"
        description="Fetches repositories over https, and reports how far a commit is"
        autoComplete="off"
        {...inputOf('token')}
      />
      <TextInput
        label="User"
        description="Of the token, where the host wants a certain one"
        autoComplete="off"
        {...inputOf('username')}
      />
      <Textarea
        label="SSH key"
        description="Private key, for repositories over ssh"
        {...lines}
        {...inputOf('ssh_key', '-----BEGIN OPENSSH PRIVATE KEY-----')}
      />
      <Textarea
        label="Known hosts"
        description="Lines of ssh-keyscan: no other key of the host is believed then. Left empty, the first one is"
        {...lines}
        {...inputOf('ssh_known_hosts', 'git.example.com ssh-ed25519 AAAA…')}
      />
      {kept.length > 0 && (
        <Checkbox.Group label="Take away" value={removed} onChange={onRemove}>
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
