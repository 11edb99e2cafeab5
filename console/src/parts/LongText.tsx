import { useState } from 'react';
import classes from './LongText.module.css';

const LONG = 4_000;

/** Text that is cut if long, with a button to show the rest. */
export function LongText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(text.length <= LONG);
  return (
    <div className={classes.text}>
      {isWhole ? text : `${text.slice(0, LONG)}… `}
      {!isWhole && (
        <button type="button" className={classes.more} onClick={() => setWhole(true)}>
          all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  );
}
