import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';
import { Icon } from './Icon.tsx';

/** Links to a workflow in the Temporal UI; renders nothing if its URL is not configured. */
export function WorkflowLink({ id, label = 'Workflow' }: { id: string; label?: string }) {
  const { data: session } = useQuery(sessionQuery);
  const ui = session?.temporal_ui;
  if (!ui) return null;
  const place = [ui.namespace, 'workflows', id].map(encodeURIComponent).join('/');
  return (
    <Anchor href={`${ui.url}/namespaces/${place}`} target="_blank" rel="noreferrer" size="sm">
      {label} <Icon name="external" size={12} />
      <span className="visually-hidden"> in the Temporal UI, in a new tab</span>
    </Anchor>
  );
}
