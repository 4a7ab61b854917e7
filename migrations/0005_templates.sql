-- Projects, templates of agents with their saved versions, and tokens for the web pages that talk to agents.

create table projects (
  organization_id text collate "C" not null references organizations on delete cascade,
  id text collate "C" not null,
  version integer not null default 1,
  name text not null,
  -- What stands for the project in headers and in the names of templates.
  slug text collate "C" not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id),
  constraint projects_slug_key unique (organization_id, slug)
);
create index on projects (organization_id, created_at, id);

create table templates (
  organization_id text collate "C" not null references organizations on delete cascade,
  id text collate "C" not null,
  version integer not null default 1,
  project_id text collate "C" not null,
  name text collate "C" not null,
  description text,
  -- The number of the last version that was saved.
  latest integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id),
  constraint templates_name_key unique (organization_id, project_id, name),
  foreign key (organization_id, project_id) references projects (organization_id, id)
);
create index on templates (organization_id, created_at, id);
create index on templates (organization_id, updated_at, id);

-- What a template holds: one row per saved version, which is never changed, and one row without a number, which is
-- what is being worked on.
create table template_versions (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  version integer not null default 1,
  template_id text collate "C" not null,
  number integer,
  -- Of the row without a number: the version it began as. It differs from it when there are changes to save.
  based_on integer,
  message text,
  agent jsonb not null,
  blocks jsonb not null,
  memory_defaults jsonb not null,
  -- Names alone: a template never holds the value of a secret.
  tool_variables jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id),
  constraint template_versions_number_key unique nulls not distinct (organization_id, template_id, number),
  foreign key (organization_id, template_id) references templates (organization_id, id) on delete cascade
);

create table template_versions_tools (
  organization_id text collate "C" not null,
  template_version_id text collate "C" not null,
  tool_id text collate "C" not null,
  position bigint generated always as identity,
  primary key (organization_id, template_version_id, tool_id),
  foreign key (organization_id, template_version_id) references template_versions (organization_id, id)
    on delete cascade,
  foreign key (organization_id, tool_id) references tools (organization_id, id) on delete cascade
);
create index on template_versions_tools (organization_id, tool_id);

create table template_versions_folders (
  organization_id text collate "C" not null,
  template_version_id text collate "C" not null,
  source_id text collate "C" not null,
  position bigint generated always as identity,
  primary key (organization_id, template_version_id, source_id),
  foreign key (organization_id, template_version_id) references template_versions (organization_id, id)
    on delete cascade,
  foreign key (organization_id, source_id) references folders (organization_id, id) on delete cascade
);
create index on template_versions_folders (organization_id, source_id);

create table template_versions_identities (
  organization_id text collate "C" not null,
  template_version_id text collate "C" not null,
  identity_id text collate "C" not null,
  position bigint generated always as identity,
  primary key (organization_id, template_version_id, identity_id),
  foreign key (organization_id, template_version_id) references template_versions (organization_id, id)
    on delete cascade,
  foreign key (organization_id, identity_id) references identities (organization_id, id) on delete cascade
);
create index on template_versions_identities (organization_id, identity_id);

-- What an agent's blocks were filled with when it was made from a template.
alter table agents add column memory_variables jsonb;
create index on agents (organization_id, deployment_id, id) where deployment_id is not null;

-- A token dies with the key that made it, and reaches no agent that is gone.
create table access_tokens (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  version integer not null default 1,
  api_key_id text collate "C" not null,
  token_hash text not null unique,
  -- As it was given, and the origin a browser sends for it.
  hostname text not null,
  origin text not null,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id),
  foreign key (organization_id, api_key_id) references api_keys (organization_id, id) on delete cascade
);
create index on access_tokens (organization_id, created_at, id);
create index on access_tokens (organization_id, expires_at);
create index on access_tokens (organization_id, api_key_id);

create table access_tokens_agents (
  organization_id text collate "C" not null,
  access_token_id text collate "C" not null,
  agent_id text collate "C" not null,
  access jsonb not null,
  position bigint generated always as identity,
  primary key (organization_id, access_token_id, agent_id),
  foreign key (organization_id, access_token_id) references access_tokens (organization_id, id) on delete cascade,
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);
create index on access_tokens_agents (organization_id, agent_id);
