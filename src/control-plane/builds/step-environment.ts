import { dirname, join } from 'node:path';

// The only platform variables a build sees: how to reach the network.
const PASSED_ON =
  /^(https?_proxy|no_proxy|all_proxy|node_extra_ca_certs|ssl_cert_file|npm_config_registry|lang|tz)$/i;

export interface StepTools {
  /** Folders of tools in the cache, highest priority first. */
  tools: string[];
  /** Python environment, relative to the project. */
  python?: string | undefined;
}

/** Environment of every build step, with its work folder and cache at these paths. */
export function stepEnvironment(
  env: NodeJS.ProcessEnv,
  { work, cache }: { work: string; cache: string },
  { tools, python }: StepTools,
): Record<string, string> {
  const passed = Object.entries(env).filter(([name]) => PASSED_ON.test(name)) as [string, string][];
  const registry = passed.find(([name]) => name.toLowerCase() === 'npm_config_registry')?.[1];
  const places = tools.map((tool) => join(cache, 'tools', tool));
  const environment = python && join(work, 'source', python);
  return {
    ...Object.fromEntries(passed),
    ...(places[0] && { SLIPWAY_TOOL: places[0] }),
    PATH: [
      ...(environment ? [join(environment, 'bin')] : []),
      ...places.map((place) => join(place, 'bin')),
      dirname(process.execPath),
      '/usr/local/bin',
      '/usr/bin',
      '/bin',
    ].join(':'),
    HOME: join(work, 'home'),
    TMPDIR: join(work, 'tmp'),
    CI: '1',
    NO_COLOR: '1',
    ...forJavaScript(cache, registry),
    ...(tools.some((tool) => tool.startsWith('pnpm-')) && forPnpm(cache)),
    ...forPython(cache),
    ...(environment && {
      VIRTUAL_ENV: environment,
      UV_PROJECT_ENVIRONMENT: environment,
      UV_PYTHON: join(environment, 'bin', 'python'),
    }),
  };
}

const forJavaScript = (cache: string, registry: string | undefined) => ({
  npm_config_cache: join(cache, 'npm'),
  npm_config_update_notifier: 'false',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  YARN_NODE_LINKER: 'node-modules',
  YARN_CACHE_FOLDER: join(cache, 'yarn'),
  YARN_GLOBAL_FOLDER: join(cache, 'yarn-berry'),
  YARN_ENABLE_TELEMETRY: '0',
  ...(registry && { YARN_REGISTRY: registry, YARN_NPM_REGISTRY_SERVER: registry.replace(/\/$/, '') }),
});

// npm warns about these.
const forPnpm = (cache: string) => ({
  npm_config_store_dir: join(cache, 'pnpm'),
  npm_config_package_import_method: 'copy',
  // The version was chosen already.
  npm_config_manage_package_manager_versions: 'false',
  npm_config_package_manager_strict: 'false',
});

const forPython = (cache: string) => ({
  UV_CACHE_DIR: join(cache, 'uv'),
  UV_PYTHON_INSTALL_DIR: join(cache, 'python'),
  UV_PYTHON_INSTALL_BIN: '0',
  // The cache is on another mount.
  UV_LINK_MODE: 'copy',
  UV_NO_PROGRESS: '1',
  PIP_CACHE_DIR: join(cache, 'pip'),
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  PIP_NO_INPUT: '1',
  PIP_PROGRESS_BAR: 'off',
  // Bytecode contains the source's timestamp, which differs between builds.
  PYTHONDONTWRITEBYTECODE: '1',
});
