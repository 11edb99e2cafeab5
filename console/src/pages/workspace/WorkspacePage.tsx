import { useQuery } from '@tanstack/react-query';
import { NavLink, Outlet } from 'react-router';
import { sessionQuery } from '../../api/session.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import classes from './WorkspacePage.module.css';

const PLACES = [
  ['keys', 'API keys'],
  ['members', 'Members'],
  ['integrations', 'Integrations'],
  ['limits', 'Limits'],
  ['retention', 'Retention'],
  ['prices', 'Model prices'],
  ['audit', 'Audit log'],
  ['appearance', 'Appearance'],
];

/** Layout of the workspace settings. */
export function Component() {
  const { data: session } = useQuery(sessionQuery);
  return (
    <>
      <nav aria-label="Settings" className={classes.nav}>
        {PLACES.map(([path, label]) => (
          <NavLink key={path} to={`/workspace/${path}`} className={classes.place!}>
            {label}
          </NavLink>
        ))}
        {session && (
          <span className={classes.tenant}>
            Workspace <code>{session.tenant_id.slice(0, 8)}…</code>
            <CopyButton text={session.tenant_id} label="Copy workspace id" />
          </span>
        )}
      </nav>
      <Outlet />
    </>
  );
}
