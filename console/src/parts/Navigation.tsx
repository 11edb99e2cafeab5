import { NavLink } from 'react-router';
import { Account } from './Account.tsx';
import { Icon, type IconName } from './Icon.tsx';
import classes from './Navigation.module.css';

const PLACES: { to: string; label: string; icon: IconName }[] = [
  { to: '/deployments', label: 'Deployments', icon: 'deployments' },
  { to: '/playground', label: 'Playground', icon: 'playground' },
  { to: '/threads', label: 'Threads & runs', icon: 'threads' },
  { to: '/crons', label: 'Crons', icon: 'crons' },
  { to: '/store', label: 'Store', icon: 'store' },
  { to: '/traces', label: 'Traces', icon: 'traces' },
  { to: '/dashboards', label: 'Dashboards', icon: 'dashboards' },
  { to: '/datasets', label: 'Datasets', icon: 'datasets' },
  { to: '/review', label: 'Review', icon: 'review' },
  { to: '/prompts', label: 'Prompts', icon: 'prompts' },
  { to: '/workspace', label: 'Settings', icon: 'workspace' },
];

/** Links to the areas of the console, and the account. */
export const Navigation = () => (
  <>
    <nav aria-label="Areas" className={classes.nav}>
      {PLACES.map(({ to, label, icon }) => (
        <NavLink key={to} to={to} className={classes.place!}>
          <Icon name={icon} />
          {label}
        </NavLink>
      ))}
    </nav>
    <Account />
  </>
);
