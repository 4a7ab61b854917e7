-- Conversations: an agent speaks with many at once, each with messages in context of their own (the thread of the same id),
-- and where it is asked for with memory blocks and a model of their own.
create table conversations (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  version integer not null default 1,
  agent_id text collate "C" not null,
  summary text,
  -- The model and its settings, where they aren't the agent's.
  model text,
  model_settings json,
  last_message_at timestamptz(3),
  last_run_completion timestamptz(3),
  -- The messages that a fork shares with its source, which stay those of the source.
  shared_message_ids json,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);
create index on conversations (organization_id, created_at, id);
create index on conversations (organization_id, agent_id, created_at, id);
-- One index for each order: rows without a value come last in both.
create index on conversations (organization_id, coalesce(last_message_at, 'infinity'), id);
create index on conversations (organization_id, coalesce(last_message_at, '-infinity'), id);
create index on conversations (organization_id, coalesce(last_run_completion, 'infinity'), id);
create index on conversations (organization_id, coalesce(last_run_completion, '-infinity'), id);
insert into searched_columns values ('conversations', 'summary');

-- A block of a conversation: a copy of the agent's, which goes with the conversation.
alter table blocks add column conversation_id text collate "C",
  add foreign key (organization_id, conversation_id) references conversations (organization_id, id) on delete cascade;
create index on blocks (organization_id, conversation_id, created_at, id) where conversation_id is not null;
