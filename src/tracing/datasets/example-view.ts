import { attachmentUrls, type BlobLink } from '../bodies/blob-links.ts';
import type { ExampleRow } from './example.ts';

// Fields clients always need, whatever they select.
const ALWAYS = ['id', 'name', 'dataset_id', 'inputs', 'source_run_id', 'created_at', 'modified_at'];
const BY_DEFAULT = ['outputs', 'metadata'];

export const EXAMPLE_FIELDS = [...ALWAYS, ...BY_DEFAULT, 'attachment_urls'] as const;

/** An example as clients read it (contract §1.13). */
export function viewExample(
  {
    id,
    dataset_id,
    inputs,
    outputs,
    metadata,
    source_run_id,
    created_at,
    valid_from,
    attachments,
  }: ExampleRow,
  { tenantId, link, select }: { tenantId: string; link: BlobLink; select?: string[] | undefined },
) {
  const wanted = new Set([...ALWAYS, ...(select ?? BY_DEFAULT)]);
  const view = {
    id,
    name: `#${id.slice(-8)}`,
    dataset_id,
    inputs,
    outputs,
    metadata,
    source_run_id,
    created_at,
    modified_at: valid_from,
    ...(wanted.has('attachment_urls') && {
      attachment_urls: attachments.length > 0 ? attachmentUrls(link, tenantId, attachments) : null,
    }),
  };
  return Object.fromEntries(Object.entries(view).filter(([key]) => wanted.has(key)));
}
