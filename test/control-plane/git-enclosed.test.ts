import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { PROJECT, useBuilds, writeFiles } from './build-setting.ts';

// git reads untrusted content, so it runs as the build's user, which only root on Linux can do.
const ifIsolated = process.platform === 'linux' && process.getuid?.() === 0 ? test : test.skip;
const { root, dataDir, build, fetchOnly, repository } = useBuilds();

/** Replaces one of the machine's programs while `run` executes. */
async function withProgram<T>(name: string, script: string, run: () => Promise<T>): Promise<T> {
  const bin = join(root, `bin-${randomUUID()}`);
  writeFiles(bin, { [name]: script });
  chmodSync(join(bin, name), 0o755);
  const path = process.env['PATH'];
  process.env['PATH'] = `${bin}:${path}`;
  try {
    return await run();
  } finally {
    process.env['PATH'] = path;
  }
}

/** A file that the build's user may write to. */
function openFile(): string {
  const file = join(root, `said-${randomUUID()}`);
  writeFileSync(file, '');
  chmodSync(file, 0o666);
  return file;
}

ifIsolated('git runs as the build’s user, and sees neither the data folder nor other processes', async () => {
  const { url, sha } = repository(PROJECT);
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, 'of-the-platform'), '', { mode: 0o644 });
  const said = openFile();
  const script = `#!/bin/sh
{ id -u; ls ${dataDir} | wc -l; ls /proc | grep -c '^[0-9]'; grep CapEff /proc/self/status; } | tr '\\n' ' ' >> ${said}
PATH=\${PATH#*:} exec git "$@"
`;
  const { commit } = await withProgram('git', script, () => fetchOnly(url));
  expect(commit).toBe(sha);
  expect(readFileSync(said, 'utf8')).toMatch(/^(1\d{9} 0 \d{1,2} CapEff:\s0{16} )+$/);
});

ifIsolated('a repository that only root may read is not fetched', async () => {
  const { folder, url } = repository(PROJECT);
  chmodSync(folder, 0o700);
  await expect(fetchOnly(url)).rejects.toThrow('git could not fetch');
  // A repository of another deployment, or of the platform.
  const hidden = join(dataDir, 'uploads', 'repository');
  mkdirSync(join(dataDir, 'uploads'), { recursive: true });
  chmodSync(folder, 0o755);
  repository(PROJECT).git('clone', '--quiet', '--bare', folder, hidden);
  await expect(fetchOnly(`file://${hidden}`)).rejects.toThrow('git could not fetch');
});

ifIsolated('a repository that borrows objects borrows none that only root may read', async () => {
  const secret = repository({ ...PROJECT, secret: 'the words of root' });
  const borrower = join(root, `borrower-${randomUUID()}`);
  secret.git('clone', '--quiet', '--shared', '--bare', secret.folder, borrower);
  expect((await fetchOnly(`file://${borrower}`)).commit).toBe(secret.sha);
  chmodSync(secret.folder, 0o700);
  await expect(fetchOnly(`file://${borrower}`)).rejects.toThrow('git could not fetch');
});

test('a repository’s filters, hooks, monitors and submodules are not run or fetched', async () => {
  const ran = openFile();
  const run = `sh -c 'echo ran >> ${ran}'`;
  const { folder, git, url } = repository({
    ...PROJECT,
    '.gitattributes': '* filter=evil diff=evil merge=evil working-tree-encoding=UTF-8\n',
    '.gitmodules': [
      '[submodule "local"]',
      '\tpath = local',
      `\turl = file://${root}`,
      '[submodule "program"]',
      '\tpath = program',
      `\turl = ext::${run}`,
      `\tupdate = !${run}`,
      '',
    ].join('\n'),
    'config/config': `[filter "evil"]\n\tsmudge = ${run}\n\trequired = true\n[core]\n\tfsmonitor = ${run}\n\thooksPath = hooks\n`,
    'hooks/post-checkout': `#!/bin/sh\necho ran >> ${ran}\n`,
  });
  chmodSync(join(folder, 'hooks/post-checkout'), 0o755);
  for (const path of ['local', 'program'])
    git('update-index', '--add', '--cacheinfo', `160000,${git('rev-parse', 'HEAD')},${path}`);
  git('commit', '--quiet', '--message', 'submodules');
  for (const [name, value] of [
    ['filter.evil.smudge', run],
    ['core.fsmonitor', run],
    ['uploadpack.packObjectsHook', run],
    ['core.sshCommand', run],
  ])
    git('config', name!, value!);
  writeFiles(join(folder, '.git/hooks'), { 'post-checkout': `#!/bin/sh\necho ran >> ${ran}\n` });
  chmodSync(join(folder, '.git/hooks/post-checkout'), 0o755);
  const { work } = await fetchOnly(url);
  expect(readFileSync(ran, 'utf8')).toBe('');
  expect(existsSync(join(work, 'source/.git'))).toBe(false);
  expect(readFileSync(join(work, 'source/graph.json'), 'utf8')).toBe(PROJECT['graph.json']);
});

test.each([
  ['a folder', '.git', '040000', 'tree'],
  ['a link', '.git', '120000', 'blob'],
  ['a link in another spelling', '.GIT', '120000', 'blob'],
])('a commit that has %s where git keeps its own is refused', async (_name, path, mode, type) => {
  const { git, folder, url } = repository(PROJECT);
  const target = join(root, `target-${randomUUID()}`);
  writeFiles(target, { kept: 'kept' });
  writeFileSync(join(folder, 'link'), target);
  const item = type === 'tree' ? git('rev-parse', 'HEAD^{tree}') : git('hash-object', '-w', 'link');
  const input = `${git('ls-tree', 'HEAD')}\n${mode} ${type} ${item}\t${path}\n`;
  const tree = execFileSync('git', ['mktree'], { cwd: folder, input, encoding: 'utf8' }).trim();
  git('update-ref', 'refs/heads/main', git('commit-tree', '-m', 'evil', tree));
  await expect(fetchOnly(url)).rejects.toThrow('git could not fetch');
  expect(readFileSync(join(target, 'kept'), 'utf8')).toBe('kept');
});

ifIsolated('no step of a build can read what let git in', async () => {
  const { folder, sha } = repository(PROJECT);
  const script = `#!/bin/sh
cat "$(dirname "$2")/key" >/dev/null || exit 1
for last; do :; done
exec sh -c "git -c 'safe.directory=*' \${last#git-}"
`;
  const lines: string[] = [];
  const key = `key-${randomUUID()}`;
  const search = `! grep -rqs '${key}' /run/slipway-build /tmp /proc/*/environ && ! ls -d ../git && echo NOTHING`;
  const { repo_commit_sha } = await withProgram('ssh', script, () =>
    build({
      source_config: { repo_url: `ssh://git@localhost${folder}`, build_command: search },
      environment: { GIT_SSH_KEY: key },
      onLine: (line) => lines.push(line),
    }),
  );
  expect(repo_commit_sha).toBe(sha);
  expect(lines).toContain('NOTHING');
});
