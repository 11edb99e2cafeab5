import { statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { globalOf } from '../graph-protocol/ui.ts';
import { InvalidProject } from '../graph-protocol/invalid-project.ts';
import type { ProjectConfig } from '../graph-protocol/project-schema.ts';

/** Files of one bundle by name: `entrypoint.js`, and `entrypoint.css` if the components have styles. */
export type UiBundle = ReadonlyMap<string, Uint8Array>;

// Provided by the page that shows the component.
const SHARED = ['react', 'react-dom', '@langchain/langgraph-sdk'];

/** Bundles the components of `ui` for browsers. Throws InvalidProject with a line for each that fails. */
export async function bundleUi(dir: string, config: ProjectConfig): Promise<ReadonlyMap<string, UiBundle>> {
  if (config.http?.disable_ui) return new Map();
  const shared = [...SHARED, ...(config.ui_config?.shared ?? [])];
  const entries = Object.entries(config.ui ?? {});
  const outcomes = await Promise.allSettled(
    entries.map(async ([name, path]) => [name, await bundle(name, resolve(dir, path), shared)] as const),
  );
  const problems = outcomes.flatMap((outcome, i) =>
    outcome.status === 'rejected' ? `ui.${entries[i]![0]}: ${describe(outcome.reason)}` : [],
  );
  if (problems.length > 0) throw new InvalidProject(problems.join('\n'));
  return new Map(outcomes.map((outcome) => (outcome as PromiseFulfilledResult<[string, UiBundle]>).value));
}

async function bundle(name: string, file: string, external: string[]): Promise<UiBundle> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new InvalidProject(`no such file: ${file}`);
  // Imported here, because only projects with components need it.
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    stdin: { contents: entrypoint(file), resolveDir: dirname(file), loader: 'js' },
    outdir: dirname(file),
    entryNames: 'entrypoint',
    write: false,
    bundle: true,
    minify: true,
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.svg': 'dataurl', '.png': 'dataurl', '.jpg': 'dataurl', '.woff2': 'dataurl' },
    external,
    // Shared packages are loaded with `require`, which the page provides.
    format: 'cjs',
    banner: { js: `(function(require){var module={exports:{}},exports=module.exports;` },
    footer: {
      js: `globalThis[${JSON.stringify(globalOf(name))}]=module.exports})(globalThis[Symbol.for("LGUI_REQUIRE")]);`,
    },
  });
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
}

/** Registers a component with the SDK's `LoadExternalComponent`, which renders it into a given element. */
const entrypoint = (file: string): string => `
import components from ${JSON.stringify(file)};
export function render(name, shadowRootId) {
  const target = document.createElement('div');
  document.getElementById(shadowRootId).shadowRoot.appendChild(target);
  globalThis[Symbol.for('LGUI_EXT_STORE')].respond(shadowRootId, components[name], target);
}`;

function describe(error: unknown): string {
  const { errors, message } = error as {
    errors?: { text: string; location?: { file: string; line: number } | null }[];
    message: string;
  };
  const [first] = errors ?? [];
  if (!first) return message;
  return first.location ? `${first.location.file}:${first.location.line}: ${first.text}` : first.text;
}
