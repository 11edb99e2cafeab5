import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Link } from 'react-router';
import { itemsQuery, namespacesQuery } from '../../api/agent-store.ts';
import { DeploymentSelect } from '../../parts/DeploymentSelect.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { useDeploymentChoice } from '../../parts/use-deployment-choice.ts';
import { useSearch } from '../../parts/use-search.ts';
import { itemId, ItemTable } from './ItemTable.tsx';
import { treeOf } from './namespace-tree.ts';
import { NamespaceTree } from './NamespaceTree.tsx';
import classes from './NamespaceTree.module.css';
import { filterOf } from './item-filter.ts';
import { StoreSearch } from './StoreSearch.tsx';

const ItemEditor = lazy(() => import('./ItemEditor.tsx'));

/** The agents' long-term memory: namespaces on the left, items on the right. */
export function Component() {
  const [deploymentId = ''] = useDeploymentChoice();
  const [search, setSearch] = useSearch();
  const isKnown = deploymentId !== '';
  const { data: namespaces, error } = useQuery({ ...namespacesQuery(deploymentId), enabled: isKnown });
  const chosen = search.get('namespace') ?? '';
  const opened = search.get('item');
  const filter = filterOf(search);
  const { data: items } = useQuery({ ...itemsQuery(deploymentId, filter), enabled: isKnown });
  const item = items?.find((found) => itemId(found) === opened);
  const to = (given: Record<string, string>): string =>
    `/store?${new URLSearchParams({ deployment: deploymentId, ...given })}`;
  const close = (): void =>
    setSearch((before) => {
      before.delete('item');
      return before;
    });
  const withItem = (id: string): string => {
    const next = new URLSearchParams(search);
    next.set('item', id);
    return `/store?${next}`;
  };
  const newButton = (
    <Button component={Link} to={withItem('new')} leftSection={<Icon name="plus" size={14} />}>
      New item
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Store"
        actions={
          <>
            <DeploymentSelect />
            {newButton}
          </>
        }
      >
        Long-term memory of agents across threads.
      </PageHeader>
      <ErrorNotice error={error} />
      {namespaces?.length === 0 && (
        <EmptyState
          title="No items yet"
          action={newButton}
          command={`curl -s -X PUT -H "X-Api-Key: $KEY" ${location.origin}/d/${deploymentId}/store/items -H 'content-type: application/json' -d '{"namespace":["users","ada"],"key":"likes","value":{"tea":true}}'`}
        >
          Items are keyed objects in namespaces. Graphs write them through their store, programs through the
          API.
        </EmptyState>
      )}
      {namespaces && namespaces.length > 0 && (
        <div className={classes.columns}>
          <nav aria-label="Namespaces">
            <Link to={to({})} className={classes.place} aria-current={chosen === '' ? 'true' : undefined}>
              All namespaces
            </Link>
            <NamespaceTree
              branches={treeOf(namespaces)}
              chosen={chosen}
              toNamespace={(path) => to({ namespace: path.join('.') })}
            />
          </nav>
          <div style={{ minWidth: 0 }}>
            <StoreSearch key={chosen} />
            <ItemTable
              deploymentId={deploymentId}
              filter={filter}
              toItem={(found) => withItem(itemId(found))}
              onTurn={(offset) =>
                setSearch((before) => {
                  before.set('offset', String(offset));
                  return before;
                })
              }
              empty={
                <EmptyState title="No matching items">
                  Choose another namespace or broaden the search.
                </EmptyState>
              }
            />
          </div>
        </div>
      )}
      <Dialog
        size="lg"
        title={item ? item.key : 'New item'}
        isOpen={opened === 'new' || item !== undefined}
        onClose={close}
      >
        <Suspense>
          <ItemEditor
            key={opened}
            deploymentId={deploymentId}
            item={item}
            namespace={chosen}
            onDone={close}
          />
        </Suspense>
      </Dialog>
    </>
  );
}
