import { Alert, Anchor, Button, Group, List, Text } from '@mantine/core';
import { Link } from 'react-router';
import { ApiError, isNothingServing } from '../api/api-error.ts';
import { EmptyState } from './EmptyState.tsx';
import { Icon } from './Icon.tsx';

/** What somebody can do about it, where the error itself does not say. */
function advice(error: unknown): string | undefined {
  if (!(error instanceof ApiError))
    return error instanceof TypeError
      ? 'The platform does not answer. Check that it runs and that this machine reaches it, then try again.'
      : 'This should not happen. Load the page again; if it stays, the console of the browser says more.';
  if (error.status === 401) return 'Your session is over. Sign in again.';
  if (error.status === 403) return 'Ask an admin of the workspace for a key with a higher role.';
  if (error.status === 404) return 'It may have been deleted, or belong to another workspace.';
  if (error.status === 409) return 'Somebody else may have changed it. Load the page again.';
  if (error.status === 429) return 'Wait a moment, then try again.';
  if (error.status >= 500) return 'Try again. If it stays, look at the logs of the platform.';
  return undefined;
}

/** The name of a field, as people read it: `source_config.repo_url`. */
const placeOf = (loc: (string | number)[]): string =>
  loc.filter((part, index) => index > 0 || !['body', 'query', 'path'].includes(String(part))).join('.');

/** Why something failed, and what to do; nothing without an error. `hide` names fields that show their own faults. */
export function ErrorNotice({
  error,
  title = 'That did not work',
  onRetry,
  hide = [],
}: {
  error: unknown;
  title?: string;
  onRetry?: (() => void) | undefined;
  hide?: string[];
}) {
  if (!error) return null;
  if (isNothingServing(error))
    return (
      <EmptyState
        title="Nothing serves yet"
        action={
          <Anchor component={Link} to="/deployments" underline="always">
            To the deployments
          </Anchor>
        }
      >
        The deployment has no revision that serves. Its page says how far the last one is, and what keeps it.
      </EmptyState>
    );
  const faults = error instanceof ApiError ? error.faults : [];
  const shown = faults.filter(({ loc }) => !hide.includes(placeOf(loc)));
  const hint = advice(error);
  return (
    <Alert color="red" variant="light" role="alert" icon={<Icon name="warning" />} title={title}>
      {faults.length === 0 && <Text size="sm">{messageOf(error)}</Text>}
      {faults.length > 0 && shown.length === 0 && (
        <Text size="sm">Some fields are not as they must be: see what is written below them.</Text>
      )}
      {shown.length > 0 && (
        <List size="sm">
          {shown.map(({ loc, msg }) => (
            <List.Item key={`${loc.join('.')} ${msg}`}>
              {placeOf(loc) && <code>{placeOf(loc)}</code>} {msg}
            </List.Item>
          ))}
        </List>
      )}
      {hint && (
        <Text size="sm" mt={4}>
          {hint}
        </Text>
      )}
      {onRetry && (
        <Group mt="xs">
          <Button variant="default" onClick={onRetry}>
            Try again
          </Button>
        </Group>
      )}
    </Alert>
  );
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
