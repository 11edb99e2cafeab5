import { Anchor } from '@mantine/core';
import classes from './Messages.module.css';

export interface MediaViewProps {
  /** Of data, of this server, or of another, which is a link: this page loads nothing from elsewhere. */
  url: string;
  mimeType: string;
  name: string;
}

const isOwn = (url: string): boolean =>
  url.startsWith('data:') || new URL(url, location.href).origin === location.origin;
// SVG may hold scripts: as an image it runs none.
const kindOf = (mimeType: string): string => mimeType.split('/', 1)[0]!;

/** An image, a sound or a film where they are, and everything else as a file to keep. */
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
