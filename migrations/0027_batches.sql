-- Batches of messages: each request begins a run of its agent.
create table batches (
  organization_id text collate "C" not null references organizations on delete cascade,
  id text collate "C" not null,
  version integer not null default 1,
  status text not null,
  -- The number of its requests; and what became of them, once the batch is over.
  total integer not null,
  request_counts json,
  metadata json,
  callback_url text,
  callback_sent_at timestamptz(3),
  callback_status_code integer,
  callback_error text,
  completed_at timestamptz(3),
  -- On whose behalf its runs act, and the server that begins them.
  actor json not null,
  owner text collate "C",
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id)
);
create index on batches (organization_id, created_at, id);
-- Servers look here for batches that are not over.
create index on batches (created_at) where completed_at is null;

-- Requests that wait, and those that could begin no run. A request goes in the transaction that stores its run.
create table batch_requests (
  organization_id text collate "C" not null,
  batch_id text collate "C" not null,
  position integer not null,
  agent_id text collate "C" not null,
  request json not null,
  error text,
  primary key (organization_id, batch_id, position),
  foreign key (organization_id, batch_id) references batches (organization_id, id) on delete cascade,
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);
create index on batch_requests (organization_id, agent_id);

alter table runs add column batch_id text collate "C",
  add foreign key (organization_id, batch_id) references batches (organization_id, id) on delete cascade;
create index on runs (organization_id, batch_id, status) where batch_id is not null;
