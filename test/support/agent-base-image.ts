import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { DockerEngine } from './docker-engine.ts';
import { IMAGE_MODULES } from './docker-image.ts';

const run = promisify(execFile);

/**
 * Like our Dockerfile's `agent`, but built from this machine's npm without a network: clients build projects on it. The
 * framework is included, because nothing can be installed. Returns its name, without the tag.
 */
export async function buildAgentBase({ address, image }: DockerEngine, tag: string): Promise<string> {
  // `npm` is a link to `bin/npm-cli.js` of its package.
  const { stdout } = await run('/bin/sh', ['-c', 'readlink -f "$(command -v npm)"']);
  const npm = dirname(dirname(stdout.trim()));
  const dir = await mkdtemp(join(tmpdir(), 'slipway-agent-base-'));
  try {
    await mkdir(join(dir, 'root/usr/local/bin'), { recursive: true });
    await symlink(IMAGE_MODULES, join(dir, 'root/node_modules'));
    const script = `#!/bin/sh\nexec ${process.execPath} /npm/bin/npm-cli.js "$@"\n`;
    await writeFile(join(dir, 'root/usr/local/bin/npm'), script, { mode: 0o755 });
    await run('cp', ['-r', npm, join(dir, 'root/npm')]);
    const lines = [
      `FROM ${image}`,
      'COPY root/ /',
      'ENV PATH=/usr/local/bin:/usr/bin:/bin HOME=/tmp',
      'CMD ["serve"]',
    ];
    await writeFile(join(dir, 'Dockerfile'), `${lines.join('\n')}\n`);
    const name = 'slipway-test-agent';
    await run('docker', ['build', '-q', '-t', `${name}:${tag}`, dir], {
      env: { ...process.env, DOCKER_HOST: address, DOCKER_BUILDKIT: '0' },
    });
    return name;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
