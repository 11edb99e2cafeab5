import { Alert, Text } from '@mantine/core';
import { ApiError, refusal } from '../../api/api-error.ts';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Icon } from '../../parts/Icon.tsx';

/** Why a run was rejected or failed. */
export function RunError({ error }: { error: unknown }) {
  if (!error) return null;
  const refused = refusalOf(error);
  if (refused) return <ErrorNotice error={refused} title="The server rejected the request" />;
  const { name, message } = (typeof error === 'object' ? error : { message: error }) as Partial<Error>;
  return (
    <Alert color="red" variant="light" role="alert" icon={<Icon name="warning" />} title="The run failed">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {name && name !== 'Error' && <code>{name}</code>} {message ?? JSON.stringify(error)}
      </Text>
      <Text size="sm" mt={4}>
        The previous state is kept. Rerun from a checkpoint under History, or send another message.
      </Text>
    </Alert>
  );
}

/** Converts the SDK's error responses to our own errors. */
function refusalOf(error: unknown): unknown {
  if (error instanceof ApiError || error instanceof TypeError) return error;
  if (!(error instanceof Error) || !('status' in error)) return undefined;
  return refusal(Number(error.status), 'text' in error ? String(error.text) : '');
}
