import type { Run } from '../../api/tracing-records.ts';
import { MediaView } from './MediaView.tsx';
import classes from './RunPanel.module.css';

const PREFIX = 'attachment.';

/** Attachments of a run. Their links expire. */
export function Attachments({ urls }: { urls: Run['s3_urls'] }) {
  const attached = Object.entries(urls).filter(([key]) => key.startsWith(PREFIX));
  if (attached.length === 0) return null;
  return (
    <>
      <h3 className={classes.part}>Attachments</h3>
      {attached.map(([key, { presigned_url, mime_type }]) => (
        <MediaView key={key} url={presigned_url} mimeType={mime_type} name={key.slice(PREFIX.length)} />
      ))}
    </>
  );
}
