import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

// `npx vite console` serves it with the API of a platform that runs already.
const platform = process.env['SLIPWAY_URL'] ?? 'http://localhost:8080';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  cacheDir: fileURLToPath(new URL('../node_modules/.cache/vite', import.meta.url)),
  logLevel: 'warn',
  build: {
    outDir: fileURLToPath(new URL('../dist/console', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // Fonts are files, so that the policy of the page need not allow data.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Of packages that also run in servers of another kind; here it says nothing.
      onLog: (level, log, handle) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log),
    },
  },
  server: {
    proxy: {
      '^/(v1|v2|api|d|r|api-host|info|runs|sessions|datasets|examples|feedback|feedback-configs|charts|public|repos|commits)([/?]|$)':
        {
          target: platform,
          changeOrigin: true,
          // It is asked by pages of its own alone; these are to be.
          headers: { origin: new URL(platform).origin },
          // Pages at addresses of records.
          bypass: ({ url = '', headers }) =>
            /^\/(datasets|public)\b/.test(url) && headers.accept?.includes('text/html')
              ? '/index.html'
              : undefined,
        },
    },
  },
});
