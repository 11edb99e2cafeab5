import { Button, Group } from '@mantine/core';

/** Links to the previous and next page. */
export const OffsetPages = ({
  offset,
  size,
  hasMore,
  onTurn,
}: {
  offset: number;
  size: number;
  hasMore: boolean;
  onTurn: (offset: number) => void;
}) =>
  offset > 0 || hasMore ? (
    <Group gap="xs" mt="sm" component="nav" aria-label="Pages" justify="space-between">
      <Button variant="default" disabled={offset === 0} onClick={() => onTurn(Math.max(0, offset - size))}>
        Previous
      </Button>
      <Button variant="default" disabled={!hasMore} onClick={() => onTurn(offset + size)}>
        Next
      </Button>
    </Group>
  ) : null;
