-- A run that was stopped from outside and one whose graph waits for an answer are both `interrupted`.
alter table run add column cancelled boolean not null default false;
