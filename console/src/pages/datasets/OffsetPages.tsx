import { Button, Group } from '@mantine/core';

/** The ways to the pages before and after, where there are any. */
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
        Before
      </Button>
      <Button variant="default" disabled={!hasMore} onClick={() => onTurn(offset + size)}>
        After
      </Button>
    </Group>
  ) : null;
