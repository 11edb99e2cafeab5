-- Whether the deployment's shares were set by hand since the canary started; its first step then keeps them.
alter table control_plane.canary add column by_hand boolean not null default false;
