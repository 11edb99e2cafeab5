// What takes whole minutes of processor time: run by `npm run test:all`, or when it is named.
const LONG = [
  'conformance/(?:cli-(?:deploy|images)|python-cli)',
  'control-plane/(?:ci-templates|cli-deploy|operator-workflows|package-managers|python-(?:attacks|deploy|installers)|scaling|supervisor|watchdogs)',
  'drivers/kubernetes-driver',
  'faults/(?:revision-states|rollouts)',
  'package/tarball',
].map((name) => `/test/${name}\\.test`);
const isAsked = process.env.SLIPWAY_TEST_ALL || process.argv.slice(2).some((arg) => arg.startsWith('test/'));

const shared = {
  testEnvironment: '<rootDir>/test/support/test-environment.js',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/examples/.*/node_modules/'],
};

/** Without services, and without a build. */
const unit = {
  ...shared,
  displayName: 'unit',
  testMatch: ['<rootDir>/test/unit/**/*.test.ts'],
};

const integration = {
  ...shared,
  displayName: 'integration',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/unit/', ...(isAsked ? [] : LONG)],
  globalSetup: '<rootDir>/test/support/global-setup.js',
  globalTeardown: '<rootDir>/test/support/global-teardown.js',
};

export default {
  projects: [unit, integration],
  testSequencer: '<rootDir>/test/support/long-first.js',
  testTimeout: 240_000,
  // A process that outlives its test would otherwise hold up the end of the run.
  forceExit: true,
  reporters: ['default', '<rootDir>/test/support/failed-files.js'],
};
