import { useRouteError } from 'react-router';
import { EmptyState } from './EmptyState.tsx';
import { ErrorNotice } from './ErrorNotice.tsx';
import { PageHeader } from './PageHeader.tsx';

/** In place of a page that there is not. */
export const NotFound = () => (
  <>
    <PageHeader title="Not found" />
    <EmptyState title="There is no such page">
      The address may be mistyped, or from a newer version. Choose an area instead.
    </EmptyState>
  </>
);

/** In place of a page that could not be shown. */
export function PageError() {
  const error = useRouteError();
  return (
    <>
      <PageHeader title="Something went wrong" />
      <ErrorNotice error={error} title="The page cannot be shown" onRetry={() => location.reload()} />
    </>
  );
}
