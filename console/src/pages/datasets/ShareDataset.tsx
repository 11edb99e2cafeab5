import { datasetShareQuery, shareDataset, unshareDataset } from '../../api/tracing-datasets.ts';
import { ShareButton } from '../../parts/ShareButton.tsx';

/** Shares a dataset by link. */
export const ShareDataset = ({ datasetId }: { datasetId: string }) => (
  <ShareButton
    sharing={{
      title: 'Share this dataset',
      whenShared: 'Anyone with this link can see its examples and experiment results without signing in.',
      whenNot:
        'Creates a link that shows its examples and experiment results to anyone until you stop sharing.',
      query: datasetShareQuery(datasetId),
      share: () => shareDataset(datasetId),
      unshare: () => unshareDataset(datasetId),
      pathOf: (token) => `/public/${token}/d`,
    }}
  />
);
