import { Anchor } from '@mantine/core';
import classes from './Messages.module.css';

export interface MediaViewProps {
  /** A data URL, or a URL of this or another server. Other servers are only linked. */
  url: string;
  mimeType: string;
  name: string;
}

const isOwn = (url: string): boolean =>
  url.startsWith('data:') || new URL(url, location.href).origin === location.origin;
// SVG may contain scripts, which images do not execute.
const kindOf = (mimeType: string): string => mimeType.split('/', 1)[0]!;

/** Shows images, audio and video inline, and other files as downloads. */
export function MediaView({ url, mimeType, name }: MediaViewProps) {
  if (!isOwn(url))
    return (
      <p className={classes.file}>
        {kindOf(mimeType) || 'File'}:{' '}
        {/^https?:/i.test(url) ? (
          <Anchor href={url} target="_blank" rel="noreferrer noopener">
            {url.slice(0, 120)}
          </Anchor>
        ) : (
          <code>{url.slice(0, 200)}</code>
        )}
      </p>
    );
  switch (kindOf(mimeType)) {
    case 'image':
      return <img className={classes.image} src={url} alt={name} loading="lazy" />;
    case 'audio':
      return <audio className={classes.audio} src={url} controls aria-label={name} />;
    case 'video':
      return <video className={classes.image} src={url} controls aria-label={name} />;
    default:
      return (
        <p className={classes.file}>
          <Anchor href={url} download={name}>
            {name}
          </Anchor>{' '}
          {mimeType}
        </p>
      );
  }
}
