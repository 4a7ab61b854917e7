-- The ledger of calls whose effects are outside of the database: a call is noted before it runs, and its result behind it. After
-- the end of a server the next one knows which calls ran, and which were interrupted: these are not run again, unless their tool
-- may be repeated. A step with such calls is stored before they run, with the model's answer.

create table tool_calls (
  organization_id text collate "C" not null,
  step_id text collate "C" not null,
  call_id text collate "C" not null,
  run_id text collate "C" not null,
  -- once: never run again; repeatable.
  kind text not null,
  -- running, done, or unknown: interrupted.
  state text not null,
  result json,
  created_at timestamptz(3) not null,
  primary key (organization_id, step_id, call_id),
  foreign key (organization_id, run_id) references runs (organization_id, id) on delete cascade
);
create index on tool_calls (organization_id, run_id);

-- The model's answer, while the calls in it run.
alter table steps add column answer json;

-- Each server numbers the events of a run in a range of its own.
alter table runs drop column last_seq;
