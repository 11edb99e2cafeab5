import { useState } from 'react';
import classes from './LongText.module.css';

const LONG = 4_000;

/** A text as it was written; of a long one, the rest when it is asked for. */
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
