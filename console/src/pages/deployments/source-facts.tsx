import type { ReactNode } from 'react';
import type { Deployment, Revision } from '../../api/control-plane-records.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { SOURCE_NAMES } from './source-names.ts';

const SHORT_SHA = 10;

/** Labelled facts about a revision's source. */
export function sourceFacts({ source_config, id }: Deployment, revision: Revision): [string, ReactNode][] {
  const { repo_ref, repo_commit_sha, image_uri, graph_config_path } = revision.source_revision_config;
  const url = `${location.origin}/r/${revision.id}`;
  const facts: [string, ReactNode][] = [['Source', SOURCE_NAMES[revision.source]]];
  if (source_config.repo_url) facts.push(['Repository', source_config.repo_url]);
  if (repo_ref) facts.push(['Ref', <code key={id}>{repo_ref}</code>]);
  if (repo_commit_sha)
    facts.push([
      'Commit',
      <span key={id} style={{ whiteSpace: 'nowrap' }}>
        <code>{repo_commit_sha.slice(0, SHORT_SHA)}</code>{' '}
        <CopyButton text={repo_commit_sha} label="Copy commit" />
      </span>,
    ]);
  if (image_uri) facts.push(['Image', <code key={id}>{image_uri}</code>]);
  if (graph_config_path) facts.push(['Graphs', <code key={id}>{graph_config_path}</code>]);
  facts.push([
    'Revision address',
    <span key={id} style={{ display: 'inline-flex', alignItems: 'center', gap: 4 }}>
      <code>/r/{revision.id.slice(0, 8)}…</code> <CopyButton text={url} label="Copy address" />
    </span>,
  ]);
  return facts;
}
