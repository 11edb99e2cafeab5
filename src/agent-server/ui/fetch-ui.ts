import { InvalidProject } from '../../graph-protocol/invalid-project.ts';
import type { ProjectConfig } from '../../graph-protocol/project-schema.ts';
import { RemoteError } from '../../graph-protocol/remote-error.ts';
import type { GraphHosts } from '../hosts/graph-hosts.ts';

/** Bundled browser files of each `ui` component, built by a host. Throws InvalidProject. */
export async function fetchUi(
  hosts: GraphHosts,
  { ui = {}, http }: ProjectConfig,
): Promise<ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>> {
  if (http?.disable_ui || Object.keys(ui).length === 0) return new Map();
  const bundles = await hosts
    .call<Record<string, Record<string, string>>>('ui.bundle')
    .catch((error: unknown) => {
      throw error instanceof RemoteError ? new InvalidProject(error.message) : error;
    });
  const decode = (files: Record<string, string>) =>
    new Map(Object.entries(files).map(([file, text]) => [file, Buffer.from(text, 'base64')]));
  return new Map(Object.entries(bundles).map(([name, files]) => [name, decode(files)]));
}
