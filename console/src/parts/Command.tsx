import classes from './Command.module.css';
import { CopyButton } from './CopyButton.tsx';

/** Something to paste into a terminal. */
export const Command = ({ text }: { text: string }) => (
  <div className={classes.command}>
    <pre className={classes.text} tabIndex={0} aria-label="Command">
      {text}
    </pre>
    <CopyButton text={text} label="Copy command" />
  </div>
);
