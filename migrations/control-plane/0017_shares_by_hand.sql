-- Whether the shares of the deployment were set by hand since the canary began: its first step leaves them.
alter table control_plane.canary add column by_hand boolean not null default false;
