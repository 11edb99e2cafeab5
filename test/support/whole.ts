/** Whether all is to be tested (`npm run test:all`), in the numbers and combinations that take minutes. */
export const isWhole = Boolean(process.env['SLIPWAY_TEST_ALL']);
