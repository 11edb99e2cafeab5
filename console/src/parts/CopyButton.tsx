import { ActionIcon } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Icon } from './Icon.tsx';

/** Copies a text and confirms it. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const clipboard = useClipboard({ timeout: 1_500 });
  const message = clipboard.error ? 'The browser blocked copying' : clipboard.copied ? 'Copied' : '';
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-label={label}
      title={label}
      onClick={() => clipboard.copy(text)}
    >
      <Icon name={clipboard.copied ? 'check' : 'copy'} size={14} />
      <span role="status" className="visually-hidden">
        {message}
      </span>
    </ActionIcon>
  );
}
