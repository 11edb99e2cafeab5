import { Tabs } from '@mantine/core';
import { useMemo } from 'react';
import type { Commit, PromptName, PromptTag, Repo } from '../../api/tracing-prompts.ts';
import { Command } from '../../parts/Command.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import { LongText } from '../../parts/LongText.tsx';
import messages from '../traces/Messages.module.css';
import { CommitTags } from './CommitTags.tsx';
import { pullInJavaScript, pullInPython } from './prompt-commands.ts';
import classes from './PromptPage.module.css';
import { type PromptMessage, readManifest, splitVariables } from './read-manifest.ts';

/** A commit: content, manifest and how to pull it. */
export function CommitPanel({
  prompt,
  repo,
  commit: { commit_hash, manifest },
  id,
  tags,
  isOwn,
}: {
  prompt: PromptName;
  repo: Repo;
  commit: Pick<Commit, 'commit_hash' | 'manifest'>;
  /** Undefined if only the hash is known. */
  id: string | undefined;
  tags: PromptTag[];
  isOwn: boolean;
}) {
  const read = useMemo(() => readManifest(manifest), [manifest]);
  const files =
    repo.repo_type === 'prompt' ? undefined : (manifest as { files?: Record<string, unknown> }).files;
  const hasText = read !== undefined || files !== undefined;
  const name = prompt.owner === '-' ? prompt.name : `${prompt.owner}/${prompt.name}`;
  const identifier = `${name}:${commit_hash.slice(0, 8)}`;
  return (
    <section aria-label={`Commit ${commit_hash.slice(0, 8)}`} className={classes.panel}>
      <CommitTags prompt={prompt} commitId={id} tags={tags} isOwn={isOwn} />
      <Tabs defaultValue={hasText ? 'text' : 'manifest'} keepMounted={false}>
        <Tabs.List mb="sm">
          {hasText && <Tabs.Tab value="text">{files ? 'Files' : 'Messages'}</Tabs.Tab>}
          <Tabs.Tab value="manifest">Manifest</Tabs.Tab>
          {!files && <Tabs.Tab value="pull">Usage</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="text">
          {read?.messages.map((message, index) => (
            <MessageOf key={index} message={message} />
          ))}
          {read?.model !== undefined && (
            <>
              <h3>Model</h3>
              <JsonView value={read.model} label="Model" />
            </>
          )}
          {files &&
            Object.entries(files).map(([path, file]) => (
              <details key={path} className={classes.file} open={Object.keys(files).length <= MAX_OPEN}>
                <summary className="mono">{path}</summary>
                <LongText text={contentOf(file)} />
              </details>
            ))}
        </Tabs.Panel>
        <Tabs.Panel value="manifest">
          <JsonView value={manifest} label="Manifest" />
        </Tabs.Panel>
        <Tabs.Panel value="pull">
          <p className={classes.hint}>
            Pulls exactly this commit. Use <code>{name}</code> for the latest, or a tag in place of the
            commit.
          </p>
          <h3>Python</h3>
          <Command text={pullInPython(identifier)} label="Command for Python" />
          <h3>JavaScript</h3>
          <Command text={pullInJavaScript(identifier)} label="Command for JavaScript" />
        </Tabs.Panel>
      </Tabs>
    </section>
  );
}

const MAX_OPEN = 3;

const contentOf = (file: unknown): string => {
  const { content } = (file ?? {}) as { content?: unknown };
  return typeof content === 'string' ? content : JSON.stringify(file, null, 2);
};

const MessageOf = ({ message: { role, text } }: { message: PromptMessage }) => (
  <article
    className={messages.message}
    data-role={{ User: 'user', Assistant: 'assistant', Tool: 'tool' }[role as string]}
    aria-label={role}
  >
    <header className={messages.head}>
      <span className={messages.role}>{role}</span>
    </header>
    <div className={classes.text}>
      {splitVariables(text).map((piece, index) =>
        index % 2 === 1 ? (
          <code key={index} className={classes.variable}>
            {piece}
          </code>
        ) : (
          piece
        ),
      )}
    </div>
  </article>
);
