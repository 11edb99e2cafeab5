import { Alert, Anchor, Button, Group, List, Text } from '@mantine/core';
import { Link } from 'react-router';
import { ApiError, isNotRunning } from '../api/api-error.ts';
import { EmptyState } from './EmptyState.tsx';
import { Icon } from './Icon.tsx';

/** Suggests what to do about the error. */
function advice(error: unknown): string | undefined {
  if (!(error instanceof ApiError))
    return error instanceof TypeError
      ? 'The platform does not respond. Check that it is running and reachable, then try again.'
      : 'This is unexpected. Reload the page; if it persists, see the browser console.';
  if (error.status === 401) return 'Your session has expired. Sign in again.';
  if (error.status === 403) return 'Ask an admin of the workspace for a key with a higher role.';
  if (error.status === 404) return 'It may have been deleted, or belong to another workspace.';
  if (error.status === 409) return 'Someone else may have changed it. Reload the page.';
  if (error.status === 429) return 'Wait a moment, then try again.';
  if (error.status >= 500) return 'Try again. If it persists, check the platform’s logs.';
  return undefined;
}

/** Path of a field: `source_config.repo_url`. */
const placeOf = (loc: (string | number)[]): string =>
  loc.filter((part, index) => index > 0 || !['body', 'query', 'path'].includes(String(part))).join('.');

/** An error with advice; renders nothing without an error. `hide` lists fields that show their own errors. */
export function ErrorNotice({
  error,
  title = 'Something went wrong',
  onRetry,
  hide = [],
}: {
  error: unknown;
  title?: string;
  onRetry?: (() => void) | undefined;
  hide?: string[];
}) {
  if (!error) return null;
  if (isNotRunning(error))
    return (
      <EmptyState
        title="Not running yet"
        action={
          <Anchor component={Link} to="/deployments" underline="always">
            Show deployments
          </Anchor>
        }
      >
        The deployment has no running revision. See its page for the status of the latest one.
      </EmptyState>
    );
  const faults = error instanceof ApiError ? error.faults : [];
  const shown = faults.filter(({ loc }) => !hide.includes(placeOf(loc)));
  const hint = advice(error);
  return (
    <Alert color="red" variant="light" role="alert" icon={<Icon name="warning" />} title={title}>
      {faults.length === 0 && <Text size="sm">{messageOf(error)}</Text>}
      {faults.length > 0 && shown.length === 0 && (
        <Text size="sm">Some fields are invalid. See the messages below them.</Text>
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
