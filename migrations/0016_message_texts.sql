-- The texts of messages, by words and by vectors: agents search their earlier messages, and callers search those of all agents.
-- They lie apart from the messages, which every run reads whole.

-- A text as JSON, or null: a search does without a text that a model wrote wrongly.
create function parse_json(source text) returns jsonb immutable language plpgsql as $$
begin
  return source::jsonb;
exception when others then
  return null;
end $$;

create function json_items(source json) returns setof jsonb immutable language sql as $$
  select jsonb_array_elements(case when jsonb_typeof(parsed) = 'array' then parsed end) from parse_json(source::text) as parsed
$$;

-- What a message says: its text parts, the message of a call of send_message, and what tools returned. System prompts belong
-- to no step, and summaries repeat messages: neither is found. A return of conversation_search would be found in place of the
-- messages that it shows.
create function message_text(role text, name text, step_id text, content json, tool_calls json, tool_returns json)
returns text immutable language sql as $$
  select case
    when role in ('user', 'assistant', 'approval') or role = 'system' and step_id is not null then left(concat_ws(E'\n',
      (select string_agg(part ->> 'text', E'\n') from json_items(content) as part where part ->> 'type' = 'text'),
      (select string_agg(parse_json(call -> 'function' ->> 'arguments') ->> 'message', E'\n')
        from json_items(tool_calls) as call where call -> 'function' ->> 'name' = 'send_message')), 50000)
    when role = 'tool' and name is distinct from 'conversation_search' then (
      select left(string_agg(coalesce(parse_json(item ->> 'func_response') ->> 'message', item ->> 'func_response'), E'\n'), 50000)
      from json_items(tool_returns) as item)
    end
$$;

create table message_texts (
  organization_id text collate "C" not null,
  -- The message.
  id text collate "C" not null,
  agent_id text collate "C" not null,
  conversation_id text collate "C",
  -- Who says it: user, assistant, tool or system.
  role text not null,
  created_at timestamptz(3) not null,
  search_vector tsvector not null,
  -- The vector of the text and its model, once background work has embedded it: see embedding_model().
  model text collate "C",
  embedding vector,
  dimension integer generated always as (vector_dims(embedding)) stored,
  primary key (organization_id, id),
  foreign key (organization_id, id) references messages (organization_id, id) on delete cascade
);
-- Vectors stay in their rows, as those of passages.
alter table message_texts set (toast_tuple_target = 8160);
create index on message_texts (organization_id, agent_id, id);
create index on message_texts (organization_id, agent_id, model, id);
create index message_texts_search_vector on message_texts using gin (search_vector);
create index message_texts_256 on message_texts using hnsw ((embedding::vector(256)) vector_cosine_ops)
  where dimension = 256;
create index message_texts_384 on message_texts using hnsw ((embedding::vector(384)) vector_cosine_ops)
  where dimension = 384;
create index message_texts_512 on message_texts using hnsw ((embedding::vector(512)) vector_cosine_ops)
  where dimension = 512;
create index message_texts_768 on message_texts using hnsw ((embedding::vector(768)) vector_cosine_ops)
  where dimension = 768;
create index message_texts_1024 on message_texts using hnsw ((embedding::vector(1024)) vector_cosine_ops)
  where dimension = 1024;
create index message_texts_1536 on message_texts using hnsw ((embedding::vector(1536)) vector_cosine_ops)
  where dimension = 1536;
create index message_texts_2560 on message_texts using hnsw ((embedding::halfvec(2560)) halfvec_cosine_ops)
  where dimension = 2560;
create index message_texts_3072 on message_texts using hnsw ((embedding::halfvec(3072)) halfvec_cosine_ops)
  where dimension = 3072;

create function index_messages() returns trigger language plpgsql as $$
begin
  insert into message_texts (organization_id, id, agent_id, conversation_id, role, created_at, search_vector)
    select organization_id, id, agent_id, conversation_id, case role when 'approval' then 'assistant' else role end,
      created_at, to_tsvector('english', text)
    from added, message_text(role, name, step_id, content, tool_calls, tool_returns) as text where text ~ '\S';
  return null;
end $$;
create trigger messages_indexed after insert on messages
  referencing new table as added for each statement execute function index_messages();

insert into message_texts (organization_id, id, agent_id, conversation_id, role, created_at, search_vector)
  select organization_id, id, agent_id, conversation_id, case role when 'approval' then 'assistant' else role end,
    created_at, to_tsvector('english', text)
  from messages, message_text(role, name, step_id, content, tool_calls, tool_returns) as text where text ~ '\S';
