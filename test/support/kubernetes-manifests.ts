import { readdir, readFile } from 'node:fs/promises';
import { packageRoot } from '../../src/platform/package-root.ts';
import { parseAllDocuments } from 'yaml';

const folder = new URL('deploy/kubernetes/', packageRoot);

/** Every object below deploy/kubernetes, by the file it is in. */
export async function readManifests(): Promise<{ file: string; object: any }[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
  const read = async (file: string) =>
    (await readObjects(new URL(file, folder))).map((object) => ({ file, object }));
  return (await Promise.all(files.map(read))).flat();
}

export async function readObjects(file: URL): Promise<any[]> {
  return parseAllDocuments(await readFile(file, 'utf8')).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]!;
    return document.toJS();
  });
}

/** What the worker's role allows, as `group/resource/verb`. */
export async function allowed(): Promise<string[]> {
  const role = (await readManifests()).find(({ object }) => object.kind === 'Role')!.object;
  return role.rules.flatMap(({ apiGroups, resources, verbs }: Record<string, string[]>) =>
    apiGroups!.flatMap((group) =>
      resources!.flatMap((resource) => verbs!.map((verb) => `${group}/${resource}/${verb}`)),
    ),
  );
}
