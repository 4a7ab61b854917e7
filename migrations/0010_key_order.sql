-- Free JSON comes back with its keys in the order given: `json` stores the text, where `jsonb` sorts the keys.

alter table blocks alter column metadata type json using metadata::json;
alter table archives alter column metadata type json using metadata::json;
alter table folders alter column metadata type json using metadata::json;
alter table identities alter column properties type json using properties::json;
alter table passages
  alter column metadata drop default,
  alter column metadata type json using metadata::json,
  alter column metadata set default '{}';
alter table agents
  alter column metadata type json using metadata::json,
  alter column llm_config type json using llm_config::json,
  alter column model_settings type json using model_settings::json,
  alter column compaction_settings type json using compaction_settings::json,
  alter column response_format type json using response_format::json,
  alter column tool_rules type json using tool_rules::json,
  alter column pending_approval type json using pending_approval::json,
  alter column memory_variables type json using memory_variables::json;
alter table messages
  alter column content type json using content::json,
  alter column tool_calls type json using tool_calls::json,
  alter column tool_returns type json using tool_returns::json,
  alter column approvals type json using approvals::json;
alter table template_versions
  alter column agent type json using agent::json,
  alter column blocks type json using blocks::json,
  alter column memory_defaults type json using memory_defaults::json;
alter table revisions alter column resource type json using resource::json;

-- The type of a column that a generated column reads can't change: that column is made again.
alter table tools drop column search_vector;
drop function tool_text(text, text, jsonb, jsonb);
create function tool_text(name text, description text, tags jsonb, json_schema json)
  returns text language sql immutable parallel safe as $$
  select concat_ws(E'\n', name, left(description, 20000), tool_parameters(json_schema::jsonb), tool_tags(tags))
$$;
alter table tools
  alter column json_schema type json using json_schema::json,
  alter column args_json_schema type json using args_json_schema::json,
  alter column metadata_ type json using metadata_::json;
alter table tools add column search_vector tsvector not null generated always as (
  setweight(to_tsvector('english', tool_words(name)), 'A')
  || setweight(to_tsvector('english', tool_words(coalesce(left(description, 20000), ''))), 'B')
  || setweight(to_tsvector('english', tool_words(coalesce(tool_tags(tags), ''))), 'B')
  || setweight(to_tsvector('english', tool_words(coalesce(tool_parameters(json_schema::jsonb), ''))), 'C')
) stored;
create index tools_search_vector on tools using gin (search_vector);
