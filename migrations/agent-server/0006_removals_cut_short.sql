-- Runs that are being rolled back; one stays only where a process died in the middle of its removal.
create index on run (updated_at) where error ->> 'error' = 'RolledBack';
