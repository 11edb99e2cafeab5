import { Link } from 'react-router';
import classes from './AppShell.module.css';

export const Brand = () => (
  <Link to="/deployments" className={classes.brand}>
    <img src="/mark.svg" alt="" width={20} height={20} />
    Slipway
  </Link>
);
