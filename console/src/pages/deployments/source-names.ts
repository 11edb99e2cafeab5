import type { Source } from '../../api/control-plane-records.ts';

/** Display names of sources. */
export const SOURCE_NAMES: Record<Source, string> = {
  git_host: 'Git',
  external_container: 'Image',
  internal_container: 'Pushed image',
  internal_source: 'Upload',
};
