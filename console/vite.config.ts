import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

// `npx vite console` serves it with the API of a running platform.
const platform = process.env['SLIPWAY_URL'] ?? 'http://localhost:8080';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  cacheDir: fileURLToPath(new URL('../node_modules/.cache/vite', import.meta.url)),
  logLevel: 'warn',
  build: {
    outDir: fileURLToPath(new URL('../dist/console', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // Keeps fonts as files, so that the content security policy need not allow data URLs.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    license: { fileName: 'THIRD-PARTY-LICENSES.md' },
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Packages that also target server components; irrelevant here.
      onLog: (level, log, handle) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log),
    },
  },
  server: {
    proxy: {
      '^/(v1|v2|api|d|r|api-host|info|runs|sessions|datasets|examples|feedback|feedback-configs|charts|public|repos|commits)([/?]|$)':
        {
          target: platform,
          changeOrigin: true,
          // The API accepts requests only from its own pages, so pretend to be one.
          headers: { origin: new URL(platform).origin },
          // Pages that share their URL with a record.
          bypass: ({ url = '', headers }) =>
            /^\/(datasets|public)\b/.test(url) && headers.accept?.includes('text/html')
              ? '/index.html'
              : undefined,
        },
    },
  },
});
