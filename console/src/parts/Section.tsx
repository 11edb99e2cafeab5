import { Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A page section with a heading. */
export const Section = ({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) => (
  <section style={{ marginBottom: 28 }}>
    <div style={{ display: 'flex', alignItems: 'center', minHeight: 30, marginBottom: 8, gap: 12 }}>
      <Title order={2} style={{ flex: 1 }}>
        {title}
      </Title>
      {actions}
    </div>
    {children}
  </section>
);
