import { writeFileSync } from 'node:fs';

/** Writes the path of each failed test file, one a line, to the file named by `FAILED_TESTS`. */
export default class FailedFiles {
  onRunComplete(_contexts, { testResults }) {
    const failed = testResults.filter((file) => file.numFailingTests > 0 || file.testExecError);
    const lines = failed.map(({ testFilePath }) => `${testFilePath}\n`);
    if (process.env.FAILED_TESTS) writeFileSync(process.env.FAILED_TESTS, lines.join(''));
  }
}
