import { useRouteError } from 'react-router';
import { EmptyState } from './EmptyState.tsx';
import { ErrorNotice } from './ErrorNotice.tsx';
import { PageHeader } from './PageHeader.tsx';

/** Page for unknown URLs. */
export const NotFound = () => (
  <>
    <PageHeader title="Not found" />
    <EmptyState title="This page does not exist">
      The URL may be mistyped or from a newer version. Choose an area from the navigation.
    </EmptyState>
  </>
);

/** Page for rendering and loading errors. */
export function PageError() {
  const error = useRouteError();
  return (
    <>
      <PageHeader title="Something went wrong" />
      <ErrorNotice error={error} title="Could not show the page" onRetry={() => location.reload()} />
    </>
  );
}
