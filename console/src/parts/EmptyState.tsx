import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Command } from './Command.tsx';
import classes from './EmptyState.module.css';

export interface EmptyStateProps {
  title: string;
  /** What will appear here and how. */
  children?: ReactNode;
  /** Command to copy. */
  command?: string | undefined;
  /** A button or link. */
  action?: ReactNode;
}

/** Placeholder for an empty list, with the next step to take. */
export const EmptyState = ({ title, children, command, action }: EmptyStateProps) => (
  <div className={classes.empty}>
    <Title order={2}>{title}</Title>
    {children && (
      <Text c="dimmed" className={classes.text}>
        {children}
      </Text>
    )}
    {action}
    {command && (
      <div className={classes.command}>
        <Command text={command} />
      </div>
    )}
  </div>
);
