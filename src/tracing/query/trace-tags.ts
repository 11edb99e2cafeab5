/** The tags by which what a run `r` used is asked for, as SQL: those of its trace are among them. A list, in which a tag may be twice. */
export const TAGS_OF_TRACE = 'r.tags || r.root_tags';
