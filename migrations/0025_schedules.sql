-- Schedules: messages that an agent gets at one time, or again and again.
create table schedules (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  version integer not null default 1,
  agent_id text collate "C" not null,
  -- The request of each run, and its times, as the wire has them.
  message json not null,
  schedule json not null,
  missed text not null,
  paused boolean not null,
  -- The next due time; none for a schedule that is paused or over.
  next_scheduled_time timestamptz(3),
  last_scheduled_time timestamptz(3),
  last_error text,
  -- On whose behalf its runs act.
  actor json not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);
create index on schedules (organization_id, created_at, id);
create index on schedules (organization_id, agent_id, created_at, id);
create index on schedules (next_scheduled_time) where next_scheduled_time is not null;

-- The schedule that began a run, and the due time: one run for each.
alter table runs add column schedule_id text collate "C", add column scheduled_for timestamptz(3);
create unique index runs_one_per_due_time on runs (organization_id, schedule_id, scheduled_for) where schedule_id is not null;
create index on runs (organization_id, schedule_id, created_at, id) where schedule_id is not null;
