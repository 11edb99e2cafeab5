import { type Fields, timeField, uuidField } from '../query/filter/field-filter.ts';

/** Filterable fields of examples `e`. */
export const EXAMPLE_FILTER: Fields = {
  of: 'examples',
  columns: {
    id: uuidField('e.id'),
    dataset_id: uuidField('e.dataset_id'),
    source_run_id: uuidField('e.source_run_id'),
    created_at: timeField('e.created_at'),
    modified_at: timeField('e.valid_from'),
  },
  metadata: 'e.metadata',
  texts: { inputs: 'e.inputs::text', outputs: 'e.outputs::text' },
};
