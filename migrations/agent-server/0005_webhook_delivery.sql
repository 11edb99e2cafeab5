-- Webhooks that are still to be sent, and those given up. A row is written with its run's outcome and goes when the
-- webhook is out. `payload` is the run as it ended: it does not refer to the run, which may change or go before then.
create table webhook_delivery (
  run_id uuid primary key,
  payload json not null,
  status text not null default 'waiting' check (status in ('waiting', 'given_up')),
  attempts integer not null default 0,
  -- What the last attempt met.
  failure text,
  -- When the next attempt is due; of one that is given up, when that was.
  due_at timestamptz not null default clock_timestamp()
);
create index on webhook_delivery (due_at);
