-- What a message says costs a tenth: a function in SQL sets up its three queries anew for each message, and most messages
-- need one of them.
create or replace function message_text(role text, name text, step_id text, content json, tool_calls json, tool_returns json)
returns text immutable language plpgsql as $$
declare
  said text;
begin
  if role in ('user', 'assistant', 'approval') or role = 'system' and step_id is not null then
    said := concat_ws(E'\n', (
      select string_agg(part ->> 'text', E'\n') from json_items(content) as part where part ->> 'type' = 'text'));
    if tool_calls is not null then
      said := concat_ws(E'\n', nullif(said, ''), (
        select string_agg(parse_json(call -> 'function' ->> 'arguments') ->> 'message', E'\n')
        from json_items(tool_calls) as call where call -> 'function' ->> 'name' = 'send_message'));
    end if;
  elsif role = 'tool' and name is distinct from 'conversation_search' then
    said := (
      select string_agg(coalesce(parse_json(item ->> 'func_response') ->> 'message', item ->> 'func_response'), E'\n')
      from json_items(tool_returns) as item);
  end if;
  return left(said, 50000);
end $$;
