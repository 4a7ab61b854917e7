-- Agents run: messages go in, models answer, tools are called, and every step is kept.
--
-- A thread is a line of messages: an agent's own, or a conversation's. It holds what is in context and what waits for an
-- approval, apart from the agent's row, so that a step makes no new version of the agent. Its row also says which run is
-- carried out: the row's lock puts the runs of one thread in order.

create table threads (
  organization_id text collate "C" not null,
  -- The id of the agent, or of the conversation.
  id text collate "C" not null,
  agent_id text collate "C" not null,
  -- The messages in context, in their order; the first is the system prompt.
  message_ids json not null default '[]',
  -- The message that waits for approvals, as the wire has it.
  pending_approval json,
  -- The run that is carried out now.
  run_id text collate "C",
  -- The number of the latest run, and how many runs wait.
  queue_no bigint not null default 0,
  waiting integer not null default 0,
  primary key (organization_id, id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);
create index on threads (organization_id, agent_id);
insert into threads (organization_id, id, agent_id, message_ids, pending_approval)
  select organization_id, id, id, message_ids, pending_approval from agents;
alter table agents drop column message_ids, drop column pending_approval;

alter table messages
  add column conversation_id text collate "C",
  add column run_id text collate "C",
  add column step_id text collate "C",
  -- The model's own parts with the provider's metadata, to be sent back to the same provider and model unchanged:
  -- {"provider", "model", "parts"}.
  add column model_parts json;
create index on messages (organization_id, run_id, id) where run_id is not null;
create index on messages (organization_id, step_id, id) where step_id is not null;
create index on messages (organization_id, conversation_id, created_at, id) where conversation_id is not null;
create index on messages (organization_id, created_at, id);

create table runs (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  version integer not null default 1,
  agent_id text collate "C" not null,
  conversation_id text collate "C",
  thread_id text collate "C" not null,
  status text not null default 'created',
  background boolean,
  metadata json,
  request_config json,
  stop_reason text,
  callback_url text,
  callback_sent_at timestamptz(3),
  callback_status_code integer,
  callback_error text,
  ttft_ns bigint,
  total_duration_ns bigint,
  base_template_id text,
  completed_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  -- The request, and on whose behalf it runs: enough for any server to carry the run out.
  request json not null,
  actor json not null,
  queue_no bigint not null,
  -- The server that carries the run out. Each takeover raises the fence: a commit with an older one changes nothing.
  owner text collate "C",
  fence integer not null default 0,
  attempts integer not null default 0,
  cancel_requested_at timestamptz(3),
  -- The number of the last stored event.
  last_seq integer not null default 0,
  primary key (organization_id, id),
  foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
);
create index on runs (organization_id, created_at, id);
create index on runs (organization_id, agent_id, created_at, id);
create index on runs (organization_id, conversation_id, created_at, id) where conversation_id is not null;
create index on runs (organization_id, status, created_at, id);
create index on runs (organization_id, thread_id, queue_no) where status = 'created';
create unique index runs_one_per_thread on runs (organization_id, thread_id) where status = 'running';
-- Servers look here for runs that nobody carries out.
create index on runs (status, owner) where status in ('created', 'running');

-- The servers that carry out runs. The runs of a server whose lease is over are taken over.
create table workers (
  id text collate "C" primary key,
  lease_until timestamptz(3) not null
);

create table steps (
  organization_id text collate "C" not null references organizations on delete cascade,
  id text collate "C" not null,
  version integer not null default 1,
  run_id text collate "C",
  agent_id text collate "C",
  status text not null,
  -- model: nothing is stored yet; tools: the calls are stored, their results aren't; done.
  phase text not null,
  provider_id text,
  provider_name text,
  provider_category text,
  model text,
  model_handle text,
  model_endpoint text,
  context_window_limit integer,
  prompt_tokens integer,
  completion_tokens integer,
  total_tokens integer,
  cached_input_tokens integer,
  cache_write_tokens integer,
  reasoning_tokens integer,
  stop_reason text,
  tags json not null default '[]',
  trace_id text,
  request_id text,
  feedback text,
  project_id text,
  error_type text,
  error_data json,
  started_at timestamptz(3) not null,
  llm_request_ns bigint,
  tool_execution_ns bigint,
  step_ns bigint,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id)
);
create index on steps (organization_id, created_at, id);
create index on steps (organization_id, run_id, created_at, id);
create index on steps (organization_id, agent_id, created_at, id);

-- The request that a step sent to its provider, and the response. Kept for some days.
create table provider_traces (
  organization_id text collate "C" not null references organizations on delete cascade,
  id text collate "C" not null,
  step_id text collate "C" not null,
  run_id text collate "C",
  agent_id text collate "C",
  call_type text not null,
  request_json json,
  response_json json,
  llm_config json,
  created_at timestamptz(3) not null,
  created_by_id text,
  primary key (organization_id, id)
);
create index on provider_traces (organization_id, step_id);
create index on provider_traces (created_at);

-- The events of a run, as its stream sends them: one row for many, so that a token costs no row.
create table run_chunks (
  organization_id text collate "C" not null,
  run_id text collate "C" not null,
  last_seq integer not null,
  first_seq integer not null,
  data json not null,
  created_at timestamptz(3) not null default now(),
  primary key (organization_id, run_id, last_seq),
  foreign key (organization_id, run_id) references runs (organization_id, id) on delete cascade
);
create index on run_chunks (created_at);

-- The ids that callers gave to the messages of runs: a request with a known id is the same request, sent again.
create table run_otids (
  organization_id text collate "C" not null,
  thread_id text collate "C" not null,
  otid text collate "C" not null,
  run_id text collate "C" not null,
  primary key (organization_id, thread_id, otid),
  foreign key (organization_id, run_id) references runs (organization_id, id) on delete cascade
);
create index on run_otids (organization_id, run_id);

-- The author of a change may be an agent: {"agent_id", "run_id", "tool_call_id"}.
alter table revisions add column author json;
