// They take longest, most of it waiting: begun first, they run beside the others and none is left over at the end.
const LONG = [
  'faults/webhooks',
  'drivers/',
  'faults/cron-',
  'faults/workers-gone',
  'faults/revision-states',
  'faults/rollouts',
  'conformance/python-',
  'control-plane/',
  'conformance/cli-deploy',
  'conformance/js-cli',
  'faults/',
];

// Of the short ones, how many run between the long ones.
const BETWEEN = 0.6;

const rankOf = ({ path }) => {
  const rank = LONG.findIndex((part) => path.includes(`/test/${part}`));
  return rank < 0 ? LONG.length : rank;
};

/** The order of the test files of a run. */
export default class LongFirst {
  sort(tests) {
    // Short ones between the long ones, so that what waits is beside what works; and at the end, to even it out.
    const ordered = [...tests].sort(
      (one, other) => rankOf(one) - rankOf(other) || (one.path < other.path ? -1 : 1),
    );
    const long = ordered.filter((test) => rankOf(test) < LONG.length);
    const short = ordered.slice(long.length);
    const share = (BETWEEN * short.length) / Math.max(long.length, 1);
    const between = (index) => Math.round(index * share);
    return [
      ...long.flatMap((test, index) => [test, ...short.slice(between(index), between(index + 1))]),
      ...short.slice(between(long.length)),
    ];
  }

  allFailedTests(tests) {
    return tests;
  }

  shard(tests, { shardIndex, shardCount }) {
    return [...tests]
      .sort((one, other) => (one.path < other.path ? -1 : 1))
      .filter((_, index) => index % shardCount === shardIndex - 1);
  }

  cacheResults() {}
}
