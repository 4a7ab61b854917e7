-- The settings of the sandbox in which an organization's tools run, one row for each type of sandbox, and the environment
-- variables that its tools get. Values are encrypted.
create table sandbox_configs (
  organization_id text collate "C" not null references organizations on delete cascade,
  id text collate "C" not null,
  version integer not null default 1,
  type text not null,
  config json not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id),
  constraint sandbox_configs_type_key unique (organization_id, type)
);
create index on sandbox_configs (organization_id, created_at, id);

create table sandbox_variables (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  version integer not null default 1,
  sandbox_config_id text collate "C" not null,
  key text not null,
  value_enc text not null,
  description text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id),
  constraint sandbox_variables_key_key unique (organization_id, sandbox_config_id, key),
  foreign key (organization_id, sandbox_config_id) references sandbox_configs (organization_id, id) on delete cascade
);
create index on sandbox_variables (organization_id, sandbox_config_id, created_at, id);
create index on sandbox_variables (organization_id, created_at, id);
