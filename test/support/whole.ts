/** Whether to run everything (`npm run test:all`), including counts and combinations that take minutes. */
export const isWhole = Boolean(process.env['SLIPWAY_TEST_ALL']);
