import { ActionIcon, Button, Group, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { promptKey, type PromptName, type PromptTag, removeTag, setTag } from '../../api/tracing-prompts.ts';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Icon } from '../../parts/Icon.tsx';
import classes from './PromptPage.module.css';

/** Adds and removes tags of a commit. Existing tags move here. */
export function CommitTags({
  prompt,
  commitId,
  tags,
  isOwn,
}: {
  prompt: PromptName;
  commitId: string | undefined;
  tags: PromptTag[];
  isOwn: boolean;
}) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const onSuccess = () => queries.invalidateQueries({ queryKey: [...promptKey(prompt), 'tags'] });
  const put = useMutation({
    mutationFn: () => setTag(prompt, name, commitId!),
    onSuccess: () => {
      setName('');
      return onSuccess();
    },
  });
  const take = useMutation({ mutationFn: (tag: string) => removeTag(prompt, tag), onSuccess });
  return (
    <>
      <Group gap="xs" mb="sm">
        {tags.map(({ id, tag_name }) => (
          <span key={id} className={classes.tag}>
            {tag_name}
            {isOwn && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size={24}
                aria-label={`Remove ${tag_name}`}
                onClick={() => take.mutate(tag_name)}
              >
                <Icon name="close" size={11} />
              </ActionIcon>
            )}
          </span>
        ))}
        {isOwn && commitId && (
          <form
            className={classes.tagForm}
            onSubmit={(event) => {
              event.preventDefault();
              put.mutate();
            }}
          >
            <TextInput
              size="xs"
              aria-label="Tag name"
              placeholder="production"
              required
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" variant="default" loading={put.isPending}>
              Tag
            </Button>
          </form>
        )}
      </Group>
      <ErrorNotice error={put.error ?? take.error} title="Could not change the tag" />
    </>
  );
}
