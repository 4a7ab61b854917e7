-- MCP servers of organizations, their tools, and the tokens by which servers let this one in (OAuth).
create table mcp_servers (
  organization_id text collate "C" not null references organizations on delete cascade,
  id text collate "C" not null,
  version integer not null default 1,
  server_name text not null,
  mcp_server_type text not null check (mcp_server_type in ('sse', 'streamable_http', 'stdio')),
  server_url text,
  auth_header text,
  command text,
  args json,
  -- Encrypted JSON: the token and the values of headers.
  secrets_enc text,
  last_synced timestamptz(3),
  -- Why the last listing of its tools failed.
  sync_error text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id),
  constraint mcp_servers_name_key unique (organization_id, server_name)
);
create index on mcp_servers (organization_id, created_at, id);

-- The tool that stands for a tool of a server. A call finds its server here.
create table mcp_tools (
  organization_id text collate "C" not null,
  mcp_server_id text collate "C" not null,
  tool_id text collate "C" not null,
  -- The tool as the server defines it, and its name there.
  name text not null,
  definition json not null,
  primary key (organization_id, tool_id),
  foreign key (organization_id, mcp_server_id) references mcp_servers (organization_id, id) on delete cascade,
  foreign key (organization_id, tool_id) references tools (organization_id, id) on delete cascade
);
create index on mcp_tools (organization_id, mcp_server_id);

-- An authorization, begun or granted.
create table mcp_authorizations (
  organization_id text collate "C" not null,
  mcp_server_id text collate "C" not null,
  -- A hash of the state that the callback has to bring, once, before the instant.
  state_hash text,
  expires_at timestamptz(3),
  -- Why the last attempt failed.
  error text,
  -- Encrypted JSON: the registration as a client, the verifier of the code, and the tokens.
  data_enc text,
  primary key (organization_id, mcp_server_id),
  foreign key (organization_id, mcp_server_id) references mcp_servers (organization_id, id) on delete cascade
);
