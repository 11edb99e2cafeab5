/** Filters people begin with, and what they find. */
export const FILTER_EXAMPLES: { filter: string; finds: string }[] = [
  { filter: 'eq(status, "error")', finds: 'Failed runs' },
  { filter: 'gt(latency, "5s")', finds: 'Slower than five seconds' },
  { filter: 'gt(total_tokens, 10000)', finds: 'More than 10,000 tokens' },
  { filter: 'gt(total_cost, 0.05)', finds: 'Dearer than five cents' },
  { filter: 'has(tags, "production")', finds: 'With a tag' },
  {
    filter: 'and(eq(metadata_key, "user_id"), eq(metadata_value, "42"))',
    finds: 'With a value of the metadata',
  },
  {
    filter: 'and(eq(feedback_key, "user_score"), lt(feedback_score, 0.5))',
    finds: 'People did not like them',
  },
  { filter: 'search("refund")', finds: 'A word of the inputs or outputs' },
  { filter: 'or(like(name, "%agent%"), eq(run_type, "tool"))', finds: 'Either of two' },
];
