-- What a run leaves behind for its readers and for repeated requests is deleted after some time: found by its age.

alter table run_otids add column created_at timestamptz(3) not null default now();
create index on run_otids (created_at);
create index on tool_calls (created_at);
