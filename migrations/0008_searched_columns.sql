-- The columns that are searched by substring: the server makes a trigram index of each where pg_trgm is installed.
create table searched_columns (
  table_name text not null,
  column_name text not null,
  primary key (table_name, column_name)
);
insert into searched_columns values
  ('agents', 'name'),
  ('agents_tags', 'tag'),
  ('blocks', 'label'),
  ('blocks', 'description'),
  ('blocks', 'value'),
  ('blocks_tags', 'tag'),
  ('folders', 'name'),
  ('identities', 'name'),
  ('tools', 'name');
