import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { LongText } from './LongText.tsx';

const Markdown = lazy(() => import('./Markdown.tsx'));

/** Characters that suggest Markdown. */
const MARKUP =
  /^ {0,3}(?:#{1,6} |>|\||(?:[-*+]|\d{1,9}[.)])\s|(?:-{3,}|\*{3,})$)|`|\*\S|(?<!\w)_\S|~~|\]\(|https?:\/\//m;
/** Longer texts are shown unformatted. */
const MAX_LENGTH = 20_000;

/** Message text, formatted if it looks like Markdown, with a toggle for the raw text. */
export function MessageText({ text }: { text: string }) {
  const [isRaw, setRaw] = useState(false);
  const raw = <LongText text={text} />;
  if (text.length > MAX_LENGTH || !MARKUP.test(text)) return raw;
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
        Raw text
      </Button>
    </div>
  );
}
