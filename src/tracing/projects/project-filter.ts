import { type Fields, textField, timeField, uuidField } from '../query/filter/field-filter.ts';

/** Filterable fields of projects `p`. */
export const PROJECT_FILTER: Fields = {
  of: 'projects',
  columns: {
    id: uuidField('p.id'),
    name: textField('p.name'),
    description: textField('p.description'),
    trace_tier: textField('p.trace_tier'),
    reference_dataset_id: uuidField('p.reference_dataset_id'),
    default_dataset_id: uuidField('p.default_dataset_id'),
    start_time: timeField('p.start_time'),
    end_time: timeField('p.end_time'),
    created_at: timeField('p.created_at'),
    modified_at: timeField('p.updated_at'),
  },
  metadata: `coalesce(p.extra -> 'metadata', '{}')`,
  texts: { name: 'p.name', description: 'p.description' },
};
