import { Anchor } from '@mantine/core';
import { Link } from 'react-router';

/** Target of a change, with a link for deployments and revisions, which may no longer exist. */
export function AuditTarget({ target }: { target: string }) {
  const [, id] = /^deployment\/([\da-f-]{36})$/.exec(target) ?? [];
  if (!id) return <code>{target}</code>;
  return (
    <Anchor component={Link} to={`/deployments/${id}`} size="sm">
      <code>{target}</code>
    </Anchor>
  );
}
