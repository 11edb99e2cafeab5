// They take longest. Every other one mostly waits, so that others can run meanwhile.
const LONG = [
  'faults/cron-exactly-once',
  'drivers/',
  'faults/cron-downtime',
  'browser/',
  'calendar/',
  'faults/webhooks.',
  'faults/maintenance',
  'faults/temporal-emptied',
  'conformance/python-sdk',
  'api/cron-firing',
  'control-plane/platform',
  'faults/workers-gone',
  'faults/embedded',
  'faults/revision-states',
  'faults/rollouts',
  'projects/project.',
  'workflow/thread',
  'conformance/cli-',
];

// The part of the short ones that the long ones are spread over.
const BETWEEN = 0.7;

const rankOf = ({ path }) => {
  const rank = LONG.findIndex((part) => path.includes(`/test/${part}`));
  return rank < 0 ? LONG.length : rank;
};

/** The order of the test files of a run. */
export default class LongFirst {
  sort(tests) {
    // Short ones between the long ones, so that waiting and working tests overlap; and at the end, to even it out.
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
