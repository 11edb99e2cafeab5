import classes from './Command.module.css';
import { CopyButton } from './CopyButton.tsx';

/** A copyable shell command. */
export const Command = ({ text, label = 'Command' }: { text: string; label?: string }) => (
  <div className={classes.command}>
    <pre className={classes.text} tabIndex={0} role="group" aria-label={label}>
      {text}
    </pre>
    <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
  </div>
);
