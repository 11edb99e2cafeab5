import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, lazy, Suspense, useState } from 'react';
import { type Session, sessionQuery } from '../api/session.ts';
import { Icon } from './Icon.tsx';
import classes from './Navigation.module.css';

const AccountMenu = lazy(() => import('./AccountMenu.tsx'));

/** The signed-in user, with a lazily loaded menu. */
export function Account() {
  const { data: session } = useQuery(sessionQuery);
  const [isWanted, setWanted] = useState(false);
  if (!session) return null;
  if (!isWanted) return <AccountButton session={session} onClick={() => setWanted(true)} />;
  return (
    <Suspense fallback={<AccountButton session={session} />}>
      <AccountMenu session={session} />
    </Suspense>
  );
}

export const AccountButton = ({
  session: { name, role },
  ...rest
}: ComponentProps<'button'> & { session: Session }) => (
  <button type="button" aria-haspopup="menu" {...rest} className={classes.account}>
    <span className={classes.who}>
      <span className={`${classes.name} truncate`}>{name}</span>
      <span className={classes.role}>{role}</span>
    </span>
    <Icon name="more" />
    <span className="visually-hidden">Account</span>
  </button>
);
