/** Example filters with their meaning. */
export const FILTER_EXAMPLES: { filter: string; finds: string }[] = [
  { filter: 'eq(status, "error")', finds: 'Failed runs' },
  { filter: 'gt(latency, "5s")', finds: 'Slower than 5 s' },
  { filter: 'gt(total_tokens, 10000)', finds: 'More than 10,000 tokens' },
  { filter: 'gt(total_cost, 0.05)', finds: 'Cost over $0.05' },
  { filter: 'has(tags, "production")', finds: 'With a tag' },
  {
    filter: 'and(eq(metadata_key, "user_id"), eq(metadata_value, "42"))',
    finds: 'With a metadata value',
  },
  {
    filter: 'and(eq(feedback_key, "user_score"), lt(feedback_score, 0.5))',
    finds: 'Negative user feedback',
  },
  { filter: 'search("refund")', finds: 'A word in inputs or outputs' },
  { filter: 'or(like(name, "%agent%"), eq(run_type, "tool"))', finds: 'Either of two conditions' },
];
