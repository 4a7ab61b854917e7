-- Agent files carry whole conversations and the texts of files: what a message says besides its content, and what a
-- file holds, gets its place.

alter table messages
  -- The model that wrote it.
  add column model text,
  -- The group it was sent in.
  add column group_id text collate "C",
  -- What the assistant asks for, and what came back: the answer to one call, or to several.
  add column tool_calls jsonb,
  add column tool_call_id text,
  add column tool_returns jsonb,
  -- The answer to a request for approval: of the request as a whole, or call by call.
  add column approval_request_id text collate "C",
  add column approve boolean,
  add column denial_reason text,
  add column approvals jsonb,
  add foreign key (organization_id, group_id) references groups (organization_id, id) on delete set null (group_id);
create index on messages (organization_id, group_id, created_at, id) where group_id is not null;

alter table files
  add column file_path text,
  add column file_creation_date text,
  add column file_last_modified_date text,
  -- The text of the file, as the agents read it.
  add column content text;
