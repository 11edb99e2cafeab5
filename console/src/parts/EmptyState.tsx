import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Command } from './Command.tsx';
import classes from './EmptyState.module.css';

export interface EmptyStateProps {
  title: string;
  /** What would be here, and how it comes here. */
  children?: ReactNode;
  /** To paste into a terminal. */
  command?: string | undefined;
  /** A button or a link. */
  action?: ReactNode;
}

/** Where there is nothing yet: what this is for, and what to do now. */
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
