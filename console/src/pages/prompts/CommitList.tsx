import { Button, Group, Skeleton } from '@mantine/core';
import { Link } from 'react-router';
import { type Commit, COMMITS_PAGE, type PromptTag } from '../../api/tracing-prompts.ts';
import { TimeText } from '../../parts/TimeText.tsx';
import classes from './PromptPage.module.css';

/** Commits of a prompt, newest first. */
export function CommitList({
  commits,
  tags,
  chosen,
  pathOf,
  offset,
  hasMore,
  onTurn,
}: {
  /** Undefined while loading. */
  commits: Commit[] | undefined;
  tags: PromptTag[];
  chosen: string | undefined;
  pathOf: (hash: string) => string;
  offset: number;
  hasMore: boolean;
  onTurn: (offset: number) => void;
}) {
  if (!commits) return <Skeleton height={200} />;
  return (
    <nav aria-label="Commits">
      <ol className={classes.commits}>
        {commits.map(({ id, commit_hash, created_at, description }, index) => (
          <li key={id}>
            <Link
              to={pathOf(commit_hash)}
              preventScrollReset
              className={classes.commit}
              aria-current={commit_hash === chosen ? 'page' : undefined}
            >
              <span className={classes.hash}>
                <span className="mono">{commit_hash.slice(0, 8)}</span>
                <TimeText at={created_at} />
              </span>
              <span className={classes.tags}>
                {offset + index === 0 && <span className={classes.tag}>latest</span>}
                {tags
                  .filter((tag) => tag.commit_hash === commit_hash)
                  .map(({ tag_name }) => (
                    <span key={tag_name} className={classes.tag}>
                      {tag_name}
                    </span>
                  ))}
                {description}
              </span>
            </Link>
          </li>
        ))}
      </ol>
      {(offset > 0 || hasMore) && (
        <Group mt="xs" justify="space-between">
          <Button
            variant="default"
            disabled={offset === 0}
            onClick={() => onTurn(Math.max(0, offset - COMMITS_PAGE))}
          >
            Newer
          </Button>
          <Button variant="default" disabled={!hasMore} onClick={() => onTurn(offset + COMMITS_PAGE)}>
            Older
          </Button>
        </Group>
      )}
    </nav>
  );
}
