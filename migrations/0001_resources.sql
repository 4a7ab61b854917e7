-- Everything an organization owns: agents and what is attached to them, with one history table for all of it.
--
-- Rules every table here keeps, so that the schema itself is the second wall between tenants and can be distributed:
--   * an owned table's primary key is (organization_id, id), and so is every reference to it;
--   * no unique index and no query without organization_id (organizations, users and keys are reference tables);
--   * columns bear the wire's names; created_at is the instant inside the id, so that a cursor outlives its row.

create extension if not exists vector;

create table organizations (
  id text collate "C" primary key,
  name text not null,
  privileged_tools boolean not null default false,
  -- Its admins run the whole server; any other organization's admins only their own.
  is_operator boolean not null default false,
  created_at timestamptz(3) not null
);

create table users (
  id text collate "C" primary key,
  organization_id text collate "C" not null references organizations on delete cascade,
  name text not null,
  is_deleted boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  unique (organization_id, id)
);

create table api_keys (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  version integer not null default 1,
  user_id text collate "C" not null,
  name text not null,
  scopes jsonb not null,
  key_hash text not null unique,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
create index on api_keys (organization_id, created_at, id);
create index on api_keys (organization_id, user_id);

-- One row per change of any resource: ETags, history, the change feed and audit are all read from here.
-- A sequence is handed out before commit: a reader of the feed takes only rows below
-- pg_snapshot_xmin(pg_current_snapshot()), by the transaction id stored beside it.
create table revisions (
  organization_id text collate "C" not null,
  sequence bigint generated always as identity,
  transaction_id xid8 not null default pg_current_xact_id(),
  kind text not null,
  resource_id text collate "C" not null,
  version integer not null,
  operation text not null,
  key_id text,
  user_id text,
  request_id text,
  resource jsonb not null,
  -- For `link` and `unlink`: {"table": …, "rows": […]}, the attachments that came or went.
  links jsonb,
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, sequence)
);
create index on revisions (organization_id, resource_id, version);

-- Facts about the database itself, such as which encryption key its secrets were written with.
create table settings (
  name text primary key,
  value jsonb not null
);

create table blocks (
  organization_id text collate "C" not null references organizations on delete cascade,
  id text collate "C" not null,
  version integer not null default 1,
  value text not null,
  label text,
  "limit" integer default 100000,
  description text,
  metadata jsonb,
  read_only boolean,
  hidden boolean,
  tags jsonb not null default '[]',
  is_template boolean,
  template_name text,
  template_id text,
  base_template_id text,
  deployment_id text,
  entity_id text,
  project_id text,
  preserve_on_migration boolean,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  -- What a block is called inside an agent: its label, or, for a block without one, something no other block has.
  label_key text collate "C" generated always as (coalesce(label, id)) stored,
  primary key (organization_id, id),
  unique (organization_id, id, label_key),
  constraint blocks_value_within_limit check (char_length(value) <= "limit")
);
create index on blocks (organization_id, created_at, id);
create index on blocks (organization_id, label, created_at, id);
create index on blocks (organization_id, template_name, created_at, id) where template_name is not null;
create index on blocks (organization_id, project_id, created_at, id) where project_id is not null;
create index on blocks (organization_id, created_at, id) where is_template;

create table archives (
  organization_id text collate "C" not null references organizations on delete cascade,
  id text collate "C" not null,
  version integer not null default 1,
  name text not null,
  description text,
  embedding_config jsonb,
  metadata jsonb,
  vector_db_provider text not null default 'native',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id)
);
create index on archives (organization_id, created_at, id);
create index on archives (organization_id, name, created_at, id);

create table folders (
  organization_id text collate "C" not null references organizations on delete cascade,
  id text collate "C" not null,
  version integer not null default 1,
  name text not null,
  description text,
  instructions text,
  embedding_config jsonb not null,
  metadata jsonb,
  vector_db_provider text not null default 'native',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id),
  constraint folders_name_key unique (organization_id, name)
);
create index on folders (organization_id, created_at, id);

create table files (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  version integer not null default 1,
  source_id text collate "C" not null,
  file_name text not null,
  original_file_name text,
  file_type text,
  file_size bigint,
  processing_status text not null default 'pending'
    check (processing_status in ('pending', 'parsing', 'embedding', 'completed', 'error')),
  error_message text,
  total_chunks integer,
  chunks_embedded integer,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id),
  unique (organization_id, source_id, id),
  foreign key (organization_id, source_id) references folders (organization_id, id) on delete cascade
);
create index on files (organization_id, source_id, created_at, id);

create table tools (
  organization_id text collate "C" not null references organizations on delete cascade,
  id text collate "C" not null,
  version integer not null default 1,
  name text not null,
  tool_type text not null default 'custom',
  description text,
  source_type text,
  source_code text,
  json_schema jsonb,
  args_json_schema jsonb,
  tags jsonb not null default '[]',
  metadata_ jsonb,
  return_char_limit integer,
  pip_requirements jsonb,
  npm_requirements jsonb,
  default_requires_approval boolean,
  enable_parallel_execution boolean not null default false,
  project_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id),
  constraint tools_name_key unique (organization_id, name)
);
create index on tools (organization_id, created_at, id);
create index on tools (organization_id, tool_type, created_at, id);

create table identities (
  organization_id text collate "C" not null references organizations on delete cascade,
  id text collate "C" not null,
  version integer not null default 1,
  identifier_key text not null,
  name text not null,
  identity_type text not null check (identity_type in ('org', 'user', 'other')),
  project_id text,
  properties jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id),
  constraint identities_identifier_key_key unique nulls not distinct (organization_id, project_id, identifier_key)
);
create index on identities (organization_id, created_at, id);
create index on identities (organization_id, identifier_key, id);

create table agents (
  organization_id text collate "C" not null references organizations on delete cascade,
  id text collate "C" not null,
  version integer not null default 1,
  name text not null,
  agent_type text not null,
  description text,
  metadata jsonb,
  system text not null,
  tags jsonb not null default '[]',
  model text,
  llm_config jsonb not null,
  model_settings jsonb,
  embedding text,
  embedding_config jsonb,
  compaction_settings jsonb,
  response_format jsonb,
  tool_rules jsonb,
  message_ids jsonb not null default '[]',
  pending_approval jsonb,
  message_buffer_autoclear boolean not null default false,
  enable_sleeptime boolean,
  timezone text,
  max_files_open integer,
  per_file_view_window_char_limit integer,
  hidden boolean,
  project_id text,
  template_id text,
  base_template_id text,
  deployment_id text,
  entity_id text,
  last_run_completion timestamptz(3),
  last_run_duration_ms bigint,
  last_stop_reason text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id)
);
create index on agents (organization_id, created_at, id);
create index on agents (organization_id, updated_at, id);
-- Agents that never ran come last in both directions, so each direction has its own stand-in for "never".
create index on agents (organization_id, coalesce(last_run_completion, 'infinity'), id);
create index on agents (organization_id, coalesce(last_run_completion, '-infinity'), id);
create index on agents (organization_id, name, created_at, id);
create index on agents (organization_id, created_by_id, created_at, id);
create index on agents (organization_id, project_id, created_at, id) where project_id is not null;
create index on agents (organization_id, template_id, created_at, id) where template_id is not null;
create index on agents (organization_id, base_template_id, created_at, id) where base_template_id is not null;
create index on agents (organization_id, last_stop_reason, created_at, id) where last_stop_reason is not null;

create table agent_environment_variables (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  agent_id text collate "C" not null,
  key text not null,
  value_enc text not null,
  description text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id),
  unique (organization_id, agent_id, key),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);

create table messages (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  agent_id text collate "C" not null,
  role text not null,
  content jsonb not null,
  name text,
  otid text,
  sender_id text,
  created_at timestamptz(3) not null,
  primary key (organization_id, id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);
create index on messages (organization_id, agent_id, created_at, id);

create table groups (
  organization_id text collate "C" not null references organizations on delete cascade,
  id text collate "C" not null,
  version integer not null default 1,
  manager_type text not null,
  description text not null,
  manager_agent_id text collate "C",
  max_turns integer,
  termination_token text,
  sleeptime_agent_frequency integer,
  turns_counter integer,
  last_processed_message_id text,
  max_message_buffer_length integer,
  min_message_buffer_length integer,
  hidden boolean,
  project_id text,
  template_id text,
  base_template_id text,
  deployment_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id),
  foreign key (organization_id, manager_agent_id) references agents (organization_id, id) on delete cascade
);
create index on groups (organization_id, created_at, id);
create index on groups (organization_id, manager_type, created_at, id);
create index on groups (organization_id, project_id, created_at, id) where project_id is not null;
create index on groups (organization_id, manager_agent_id, id) where manager_agent_id is not null;

-- Attachments. `position` keeps the order in which they were made.

create table agents_blocks (
  organization_id text collate "C" not null,
  agent_id text collate "C" not null,
  block_id text collate "C" not null,
  block_label text collate "C" not null,
  position bigint generated always as identity,
  primary key (organization_id, agent_id, block_id),
  -- The label rides along, so that no agent ever has two blocks of one label, whoever renames what and when.
  constraint agents_blocks_label_key unique (organization_id, agent_id, block_label),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade,
  foreign key (organization_id, block_id, block_label) references blocks (organization_id, id, label_key)
    on delete cascade on update cascade
);
create index on agents_blocks (organization_id, block_id, agent_id);

create table agents_archives (
  organization_id text collate "C" not null,
  agent_id text collate "C" not null,
  archive_id text collate "C" not null,
  position bigint generated always as identity,
  primary key (organization_id, agent_id, archive_id),
  constraint agents_archives_agent_key unique (organization_id, agent_id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade,
  foreign key (organization_id, archive_id) references archives (organization_id, id) on delete cascade
);
create index on agents_archives (organization_id, archive_id, agent_id);

create table agents_folders (
  organization_id text collate "C" not null,
  agent_id text collate "C" not null,
  source_id text collate "C" not null,
  position bigint generated always as identity,
  primary key (organization_id, agent_id, source_id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade,
  foreign key (organization_id, source_id) references folders (organization_id, id) on delete cascade
);
create index on agents_folders (organization_id, source_id, agent_id);

create table agents_tools (
  organization_id text collate "C" not null,
  agent_id text collate "C" not null,
  tool_id text collate "C" not null,
  position bigint generated always as identity,
  primary key (organization_id, agent_id, tool_id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade,
  foreign key (organization_id, tool_id) references tools (organization_id, id) on delete cascade
);
create index on agents_tools (organization_id, tool_id, agent_id);

create table agents_identities (
  organization_id text collate "C" not null,
  agent_id text collate "C" not null,
  identity_id text collate "C" not null,
  position bigint generated always as identity,
  primary key (organization_id, agent_id, identity_id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade,
  foreign key (organization_id, identity_id) references identities (organization_id, id) on delete cascade
);
create index on agents_identities (organization_id, identity_id, agent_id);

create table blocks_identities (
  organization_id text collate "C" not null,
  block_id text collate "C" not null,
  identity_id text collate "C" not null,
  position bigint generated always as identity,
  primary key (organization_id, block_id, identity_id),
  foreign key (organization_id, block_id) references blocks (organization_id, id) on delete cascade,
  foreign key (organization_id, identity_id) references identities (organization_id, id) on delete cascade
);
create index on blocks_identities (organization_id, identity_id, block_id);

create table groups_agents (
  organization_id text collate "C" not null,
  group_id text collate "C" not null,
  agent_id text collate "C" not null,
  position bigint generated always as identity,
  primary key (organization_id, group_id, agent_id),
  foreign key (organization_id, group_id) references groups (organization_id, id) on delete cascade,
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);
create index on groups_agents (organization_id, agent_id, group_id);

create table groups_blocks (
  organization_id text collate "C" not null,
  group_id text collate "C" not null,
  block_id text collate "C" not null,
  position bigint generated always as identity,
  primary key (organization_id, group_id, block_id),
  foreign key (organization_id, group_id) references groups (organization_id, id) on delete cascade,
  foreign key (organization_id, block_id) references blocks (organization_id, id) on delete cascade
);
create index on groups_blocks (organization_id, block_id, group_id);

-- Which files of its folders an agent sees, and which of them it has open.
create table files_agents (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  agent_id text collate "C" not null,
  source_id text collate "C" not null,
  file_id text collate "C" not null,
  -- The id of the file's block in the agent's memory: stable from read to read.
  block_id text collate "C" not null,
  is_open boolean not null default false,
  visible_content text,
  start_line integer,
  end_line integer,
  last_accessed_at timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (organization_id, id),
  unique (organization_id, agent_id, file_id),
  foreign key (organization_id, agent_id, source_id)
    references agents_folders (organization_id, agent_id, source_id) on delete cascade,
  foreign key (organization_id, source_id, file_id) references files (organization_id, source_id, id) on delete cascade
);
create index on files_agents (organization_id, source_id, file_id);

-- Tags live in their row, so that a version holds them. These tables are their indexes: which rows bear a tag, and
-- which tags there are. Triggers keep them, so that no writer can forget to.

create table agents_tags (
  organization_id text collate "C" not null,
  agent_id text collate "C" not null,
  tag text collate "C" not null,
  primary key (organization_id, tag, agent_id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);
create index on agents_tags (organization_id, agent_id);

create table blocks_tags (
  organization_id text collate "C" not null,
  block_id text collate "C" not null,
  tag text collate "C" not null,
  primary key (organization_id, tag, block_id),
  foreign key (organization_id, block_id) references blocks (organization_id, id) on delete cascade
);
create index on blocks_tags (organization_id, block_id);

create function index_agent_tags() returns trigger language plpgsql as $$
begin
  delete from agents_tags where organization_id = new.organization_id and agent_id = new.id;
  insert into agents_tags (organization_id, agent_id, tag)
    select distinct new.organization_id, new.id, tag from jsonb_array_elements_text(new.tags) as tag;
  return null;
end $$;
create trigger agents_tags_on_insert after insert on agents
  for each row when (new.tags <> '[]') execute function index_agent_tags();
create trigger agents_tags_on_update after update of tags on agents
  for each row when (old.tags is distinct from new.tags) execute function index_agent_tags();

create function index_block_tags() returns trigger language plpgsql as $$
begin
  delete from blocks_tags where organization_id = new.organization_id and block_id = new.id;
  insert into blocks_tags (organization_id, block_id, tag)
    select distinct new.organization_id, new.id, tag from jsonb_array_elements_text(new.tags) as tag;
  return null;
end $$;
create trigger blocks_tags_on_insert after insert on blocks
  for each row when (new.tags <> '[]') execute function index_block_tags();
create trigger blocks_tags_on_update after update of tags on blocks
  for each row when (old.tags is distinct from new.tags) execute function index_block_tags();
