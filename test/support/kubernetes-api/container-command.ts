import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../../src/platform/package-root.ts';
import type { ObjectStore } from './object-store.ts';

/** An image a node can pull. */
export interface NodeImage {
  /** With its digest, as a node reports it. */
  id: string;
  /** Arguments of `slipway` if the container names no command. */
  entrypoint?: string[];
  /** A script that runs instead of `slipway`. */
  program?: string;
  /** Whether its registry accepts this password; without this function, anyone may pull. */
  admits?(password: string | undefined): boolean;
}

/** Path of the command in our images, and on this machine. */
const IN_IMAGE = '/app/dist/bin/slipway.js';
const HERE = fileURLToPath(new URL('dist/bin/slipway.js', packageRoot));

/** A container's command for this machine: with local folders and address, otherwise unchanged. */
export function containerCommand(
  container: any,
  image: NodeImage,
  node: { store: ObjectStore; ip: string; hostname: string; folderOf(volume: string): string },
): { argv: string[]; cwd: string; env: Record<string, string> } {
  const mounts = ((container.volumeMounts ?? []) as { name: string; mountPath: string }[]).sort(
    (a, b) => b.mountPath.length - a.mountPath.length,
  );
  const place = (text: string): string => {
    for (const { name, mountPath } of mounts) {
      const [before, after] = text.split(new RegExp(`(?<=^|=)${mountPath}(?=/|$)`));
      if (after !== undefined) return `${before}${node.folderOf(name)}${after}`;
    }
    return text.replace(/(?<=^|=|tcp:)0\.0\.0\.0(?=$|:\d+$)/, node.ip);
  };
  const command = container.command ?? ['node', image.program ?? IN_IMAGE];
  // An image's own settings are already for this machine.
  const own = container.command ? [] : (image.entrypoint ?? []);
  const sent = [...command, ...(container.args ?? [])].map((argument) =>
    argument === 'node'
      ? process.execPath
      : argument === IN_IMAGE
        ? HERE
        : argument === image.program
          ? argument
          : place(argument),
  );
  const env = {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    HOSTNAME: node.hostname,
    ...environment(container, node.store),
  };
  const argv = [...sent.slice(0, command.length), ...own, ...sent.slice(command.length)];
  return {
    argv,
    cwd: container.workingDir ? place(container.workingDir) : node.folderOf('tmp'),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, place(value)])),
  };
}

function environment(container: any, store: ObjectStore): Record<string, string> {
  const read = (secret: string, key: string) =>
    Buffer.from(store.find('secrets', secret)!.data![key]!, 'base64').toString();
  const whole = (container.envFrom ?? []).flatMap(({ secretRef }: any) =>
    Object.keys(store.find('secrets', secretRef.name)!.data!).map((key) => [key, read(secretRef.name, key)]),
  );
  const single = (container.env ?? []).map(({ name, value, valueFrom }: any) => [
    name,
    valueFrom ? read(valueFrom.secretKeyRef.name, valueFrom.secretKeyRef.key) : value,
  ]);
  return Object.fromEntries([...whole, ...single]);
}
