import { Anchor } from '@mantine/core';
import { Link } from 'react-router';

/** What a change was of; a deployment and a revision of it are led to, though they may be gone. */
export function AuditTarget({ target }: { target: string }) {
  const [, id] = /^deployment\/([\da-f-]{36})$/.exec(target) ?? [];
  if (!id) return <code>{target}</code>;
  return (
    <Anchor component={Link} to={`/deployments/${id}`} size="sm">
      <code>{target}</code>
    </Anchor>
  );
}
