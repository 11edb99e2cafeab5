-- `namespace` holds the labels with a dot after each ('users.ada.'). Labels are not empty and hold no dot, so all
-- namespaces under a prefix lie in one range of the index: from 'users.' up to, not including, 'users/'.
create table store_item (
  item_id bigint generated always as identity primary key,
  namespace text collate "C" not null,
  key text collate "C" not null,
  value jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  ttl_minutes double precision,
  expires_at timestamptz,
  unique (namespace, key)
);
create index on store_item (updated_at desc);
create index on store_item (expires_at) where expires_at is not null;

-- Unit vectors of an item's texts. They are valid only while `embedded_at` is the item's `updated_at` and `model` is
-- the current one, so that an item written without them, or with another model, is never found by its old text. `signs`
-- has a bit for each component: vectors that differ in few of them are likely to be similar.
create table store_vector (
  item_id bigint not null references store_item on delete cascade,
  position integer not null,
  model text not null,
  embedded_at timestamptz not null,
  signs bit varying not null,
  embedding real[] not null,
  primary key (item_id, position)
);
-- Floats do not compress; and out of line, they are read only for the vectors that are compared in full.
alter table store_vector alter embedding set storage external;
