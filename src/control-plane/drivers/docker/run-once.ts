import { Writable } from 'node:stream';
import type Docker from 'dockerode';
import type { Container, ContainerCreateOptions } from 'dockerode';

export interface Said {
  code: number;
  /** Standard output, then standard error. */
  output: string;
}

/** Runs a container of ours to its end and removes it. */
export async function runOnce(docker: Docker, options: ContainerCreateOptions): Promise<Said> {
  const container = await docker.createContainer({
    ...options,
    HostConfig: {
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ...options.HostConfig,
    },
  });
  try {
    const stream = await container.attach({ stream: true, stdout: true, stderr: true });
    const output = collect(docker, stream);
    await container.start();
    const { StatusCode } = (await container.wait()) as { StatusCode: number };
    return { code: StatusCode, output: await output };
  } finally {
    await container.remove({ force: true, v: true });
  }
}

/** Runs a command as root in a container that runs, with the capabilities of that container. */
export async function runInside(docker: Docker, container: Container, command: string[]): Promise<Said> {
  const exec = await container.exec({
    Cmd: command,
    User: '0:0',
    AttachStdout: true,
    AttachStderr: true,
  });
  const output = await collect(docker, await exec.start({}));
  const { ExitCode } = await exec.inspect();
  return { code: ExitCode ?? -1, output };
}

async function collect(docker: Docker, stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: [Buffer[], Buffer[]] = [[], []];
  const [stdout, stderr] = chunks.map(
    (into) =>
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          into.push(chunk);
          done();
        },
      }),
  );
  docker.modem.demuxStream(stream, stdout!, stderr!);
  await new Promise((resolve, reject) => stream.once('end', resolve).once('error', reject));
  return Buffer.concat(chunks.flat()).toString().trim();
}
