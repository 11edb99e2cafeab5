import { isRouteErrorResponse, useRouteError } from 'react-router';
import { EmptyState } from './EmptyState.tsx';
import { ErrorNotice } from './ErrorNotice.tsx';
import { PageHeader } from './PageHeader.tsx';

/** In place of a page that could not be shown, or that there is not. */
export function PageError() {
  const error = useRouteError();
  if (isRouteErrorResponse(error) && error.status === 404)
    return (
      <>
        <PageHeader title="Not found" />
        <EmptyState title="There is no such page">
          The address may be mistyped, or from a newer version. Choose an area at the left.
        </EmptyState>
      </>
    );
  return (
    <>
      <PageHeader title="Something went wrong" />
      <ErrorNotice error={error} title="The page cannot be shown" onRetry={() => location.reload()} />
    </>
  );
}
