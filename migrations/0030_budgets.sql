-- Budgets of a day (UTC) for a key or an agent, and what was used: a row for each agent, key and day, so that runs of different
-- agents never wait for each other.
create table budgets (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  version integer not null default 1,
  api_key_id text collate "C",
  agent_id text collate "C",
  tokens bigint,
  cost double precision,
  runs integer,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id),
  foreign key (organization_id, api_key_id) references api_keys (organization_id, id) on delete cascade,
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);
create index on budgets (organization_id, created_at, id);
create unique index budgets_api_key on budgets (organization_id, api_key_id) where api_key_id is not null;
create unique index budgets_agent on budgets (organization_id, agent_id) where agent_id is not null;

-- Rows outlive their agents: a key whose agents are deleted has used what it has used.
create table usage_days (
  organization_id text collate "C" not null references organizations on delete cascade,
  agent_id text collate "C" not null,
  api_key_id text collate "C" not null,
  day date not null,
  tokens bigint not null default 0,
  cost double precision not null default 0,
  runs integer not null default 0,
  primary key (organization_id, agent_id, api_key_id, day)
);
create index on usage_days (organization_id, api_key_id, day);
