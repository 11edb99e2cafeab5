import type { ReactNode } from 'react';
import classes from './Facts.module.css';

/** A few things worth knowing, each with its name, side by side. */
export const Facts = ({ facts }: { facts: [name: string, value: ReactNode][] }) => (
  <dl className={classes.facts}>
    {facts.map(([name, value]) => (
      <div key={name} className={classes.fact}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
