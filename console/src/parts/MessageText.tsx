import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { LongText } from './LongText.tsx';

const Markdown = lazy(() => import('./Markdown.tsx'));

/** What Markdown begins with. */
const MARKUP =
  /^ {0,3}(?:#{1,6} |>|\||(?:[-*+]|\d{1,9}[.)])\s|(?:-{3,}|\*{3,})$)|`|\*\S|(?<!\w)_\S|~~|\]\(|https?:\/\//m;
/** A longer text is shown as it was written. */
const LONGEST = 20_000;

/** What somebody said: as Markdown where it may be some, and as it was written when that is asked for. */
export function MessageText({ text }: { text: string }) {
  const [isRaw, setRaw] = useState(false);
  const raw = <LongText text={text} />;
  if (text.length > LONGEST || !MARKUP.test(text)) return raw;
  return (
    <div>
      {isRaw ? (
        raw
      ) : (
        <Suspense fallback={raw}>
          <Markdown text={text} />
        </Suspense>
      )}
      <Button
        variant="subtle"
        color="gray"
        c="dimmed"
        size="compact-xs"
        mt={4}
        ml={-8}
        aria-pressed={isRaw}
        onClick={() => setRaw(!isRaw)}
      >
        As written
      </Button>
    </div>
  );
}
