import { datasetShareQuery, shareDataset, unshareDataset } from '../../api/tracing-datasets.ts';
import { ShareButton } from '../../parts/ShareButton.tsx';

/** A link under which anyone reads a dataset and how experiments went. */
export const ShareDataset = ({ datasetId }: { datasetId: string }) => (
  <ShareButton
    sharing={{
      title: 'Share this dataset',
      whenShared:
        'Anyone who has this link reads its examples and the figures of its experiments, without signing in.',
      whenNot:
        'A link shows its examples, and the figures of its experiments, to anyone who has it, until you end that.',
      query: datasetShareQuery(datasetId),
      share: () => shareDataset(datasetId),
      unshare: () => unshareDataset(datasetId),
      pathOf: (token) => `/public/${token}/d`,
    }}
  />
);
