-- Tools: schemas that follow their source, and search by words.

alter table tools add column schema_derived boolean not null default false;

-- Words of names as they are written in code: snake_case, kebab-case and camelCase taken apart.
create function tool_words(name text) returns text language sql immutable parallel safe as $$
  select regexp_replace(translate(name, '_-./:@', '      '), '([a-z0-9])([A-Z])', '\1 \2', 'g')
$$;

-- What the parameters of a schema are called and said to be, one in a line; a schema of any shape is taken.
create function tool_parameters(json_schema jsonb) returns text language sql immutable parallel safe as $$
  select left(string_agg(concat_ws(': ', parameter ->> 'key', parameter -> 'value' ->> 'description'), E'\n'), 20000)
  from jsonb_path_query(json_schema, '$.parameters.properties.keyvalue()', '{}', true) as parameter
$$;

create function tool_tags(tags jsonb) returns text language sql immutable parallel safe as $$
  select left(string_agg(tag, ' '), 20000) from jsonb_array_elements_text(tags) as tag
$$;

-- A tool as one text: what a search reads of it.
create function tool_text(name text, description text, tags jsonb, json_schema jsonb)
  returns text language sql immutable parallel safe as $$
  select concat_ws(E'\n', name, left(description, 20000), tool_parameters(json_schema), tool_tags(tags))
$$;

alter table tools add column search_vector tsvector not null generated always as (
  setweight(to_tsvector('english', tool_words(name)), 'A')
  || setweight(to_tsvector('english', tool_words(coalesce(left(description, 20000), ''))), 'B')
  || setweight(to_tsvector('english', tool_words(coalesce(tool_tags(tags), ''))), 'B')
  || setweight(to_tsvector('english', tool_words(coalesce(tool_parameters(json_schema), ''))), 'C')
) stored;
create index tools_search_vector on tools using gin (search_vector);
