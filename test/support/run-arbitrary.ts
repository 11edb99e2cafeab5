import fc from 'fast-check';

/** JSON text of a string: halves of surrogate pairs are escapes. */
export const jsonText = (text: string): string => JSON.stringify(text);

// With everything that JSON, JavaScript or Postgres treats specially.
const odd = fc.constantFrom(
  '\0',
  '\ud800',
  '\udc00',
  '"',
  '\\',
  '\n',
  '\u2028',
  '\u007f',
  'é',
  '😀',
  '\\u0000',
  '__proto__',
  'NaN',
  '{',
  ']',
  ':',
  ',',
);
const text = fc.oneof(
  fc.string({
    unit: fc.oneof({ weight: 4, arbitrary: fc.string({ maxLength: 3 }) }, { weight: 1, arbitrary: odd }),
    maxLength: 20,
  }),
  fc.constantFrom('', 'a'.repeat(4_100), 'constructor', 'metadata', 'toJSON', '0'),
);
/** Postgres cannot store all of them as text. */
const plain = fc.string({
  unit: fc.constantFrom('a', ' ', '"', '\\', 'é', '😀', '\u2028', '\0', '\ud800', '\ufffd'),
  minLength: 1,
  maxLength: 30,
});

const number = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
  fc.constantFrom(
    '-0',
    '-0.0',
    '0.0',
    '1.0',
    '1e400',
    '-1E+400',
    '1e-400',
    '9007199254740993',
    '1.50',
    '1e2',
    '0.1000000000000000055511151231257827',
  ),
);
const space = fc.constantFrom('', '', '', ' ', '\n\t');
const { value } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.oneof(number, text.map(jsonText), fc.constantFrom('null', 'true', 'false', '{}', '[]')),
    fc
      .tuple(fc.array(tie('value'), { maxLength: 5 }), space)
      .map(([items, gap]) => `[${gap}${items.join(`,${gap}`)}${gap}]`),
    tie('object'),
  ),
  object: objectOf(tie('value')),
}));

/** Keys may occur twice. */
function objectOf(member: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(fc.tuple(text, member), { maxLength: 5 }), space)
    .map(
      ([members, gap]) =>
        `{${members.map(([key, item]) => `${gap}${jsonText(key)}${gap}:${gap}${item}`).join()}}`,
    );
}
const filled = objectOf(value).map((object) =>
  object.replace(/^\{/, object.endsWith('{}') ? '{"some":1' : '{"some":1,').replace(/,\}$/, '}'),
);
// Every read by id searches all weekly partitions, so use few weeks, at calendar boundaries.
const DAYS = [
  '1969-12-31',
  '2014-12-31',
  '2017-01-01',
  '2020-02-29',
  '2026-03-29',
  '2026-06-14',
  '2026-06-15',
];
const time = fc
  .tuple(fc.constantFrom(...DAYS), fc.integer({ min: 0, max: 86_399_999 }))
  .map(([day, ms]) => Date.parse(day) + ms);

/** Some members occur in several extras; large ones are stored separately from small ones. */
const common = fc
  .tuple(fc.constantFrom('runtime', 'a', 'b'), fc.oneof(value, fc.constant(jsonText('long'.repeat(1_500)))))
  .map(([key, text]) => `${jsonText(key)}:${text}`);
const withCommon = (object: fc.Arbitrary<string>) =>
  fc
    .tuple(object, fc.array(common, { maxLength: 2 }))
    .map(([text, more]) => `{${[text.slice(1, -1), ...more].filter((one) => one.trim() !== '').join()}}`);
export const extraText = fc
  .tuple(withCommon(objectOf(value)), withCommon(objectOf(value)))
  .map(([others, metadata]) => {
    const members = others.slice(1, -1);
    return `{${[members, `"metadata":${metadata}`].filter((one) => one.trim() !== '').join()}}`;
  });

/** A run as a client posts it: JSON texts of its fields, except its id. */
export const runText = fc
  .record({
    name: plain.map(jsonText),
    run_type: fc.constantFrom('"llm"', '"chain"', '"tool"', '"a type of its own"'),
    start_time: time.map((ms) => jsonText(new Date(ms).toISOString().replace('Z', '000'))),
    inputs: filled,
    outputs: fc.option(filled, { nil: undefined }),
    error: fc.option(plain.map(jsonText), { nil: undefined }),
    events: fc.option(
      fc.array(value, { minLength: 1, maxLength: 3 }).map((items) => `[${items.join()}]`),
      { nil: undefined },
    ),
    serialized: fc.option(filled, { nil: undefined }),
    extra: fc.option(extraText, { nil: undefined }),
    tags: fc.option(
      fc
        .tuple(fc.uniqueArray(plain, { maxLength: 4 }), fc.array(fc.constantFrom('a', 'é'), { maxLength: 2 }))
        .map(([tags, more]) => JSON.stringify([...more, ...tags, ...more])),
      { nil: undefined },
    ),
  })
  .map(
    (run) =>
      Object.fromEntries(Object.entries(run).filter(([, json]) => json !== undefined)) as Record<
        string,
        string
      >,
  );
