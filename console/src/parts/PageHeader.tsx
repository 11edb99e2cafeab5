import { Anchor, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'react-router';
import classes from './PageHeader.module.css';

export interface PageHeaderProps {
  title: string;
  /** Breadcrumbs, outermost first. */
  parents?: { label: string; to: string }[];
  /** A line below the title. */
  children?: ReactNode;
  /** Buttons on the right. */
  actions?: ReactNode;
}

/** Heading of a page; also sets the document title. */
export function PageHeader({ title, parents = [], children, actions }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Slipway`;
  }, [title]);
  return (
    <header className={classes.header}>
      <div className={classes.words}>
        {parents.length > 0 && (
          <nav aria-label="Breadcrumb" className={classes.parents}>
            {parents.map(({ label, to }, index) => (
              <span key={to}>
                {index > 0 && <span aria-hidden="true"> / </span>}
                <Anchor component={Link} to={to} size="sm">
                  {label}
                </Anchor>
              </span>
            ))}
          </nav>
        )}
        <Title order={1} className={classes.title}>
          {title}
        </Title>
        {children && <div className={classes.line}>{children}</div>}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </header>
  );
}
