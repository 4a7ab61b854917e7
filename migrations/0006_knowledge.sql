-- Knowledge: passages and their vectors, the bytes of uploaded files until they are read, and the providers and models
-- that embed and answer.

create table passages (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  version integer not null default 1,
  text text not null,
  -- A passage lies in an archive, or is a piece of a folder's file.
  archive_id text collate "C",
  source_id text collate "C",
  file_id text collate "C",
  file_name text,
  metadata jsonb not null default '{}',
  tags jsonb not null default '[]',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  -- Where it lies, of either kind.
  container_id text collate "C" not null generated always as (coalesce(archive_id, source_id)) stored,
  search_vector tsvector not null generated always as (to_tsvector('english', text)) stored,
  primary key (organization_id, id),
  unique (organization_id, container_id, id),
  check (num_nonnulls(archive_id, source_id) = 1 and (source_id is null) = (file_id is null)),
  foreign key (organization_id, archive_id) references archives (organization_id, id) on delete cascade,
  foreign key (organization_id, source_id, file_id) references files (organization_id, source_id, id) on delete cascade
);
create index on passages (organization_id, created_at, id);
create index on passages (organization_id, container_id, created_at, id);
create index on passages (organization_id, file_id, created_at, id) where file_id is not null;
create index passages_search_vector on passages using gin (search_vector);
create index passages_tags on passages using gin (tags);

-- Tells whether two configurations give comparable vectors: modelKey in src/resources/models/embedding.ts.
create function embedding_model(config jsonb) returns text immutable language sql as $$
  select (config ->> 'embedding_endpoint_type') || '/' || (config ->> 'embedding_model') || '/' || (config ->> 'embedding_dim')
$$;

-- The vectors of a passage: one for each model it was embedded with. While the model of an archive or a folder changes
-- there are two, and the old ones answer until the last new one is there.
create table embeddings (
  organization_id text collate "C" not null,
  passage_id text collate "C" not null,
  container_id text collate "C" not null,
  -- Which model: see embedding_model().
  model text collate "C" not null,
  embedding vector not null,
  dimension integer not null generated always as (vector_dims(embedding)) stored,
  primary key (organization_id, passage_id, model),
  foreign key (organization_id, container_id, passage_id)
    references passages (organization_id, container_id, id) on delete cascade
);
-- Vectors stay in their rows as long as these fit a page: fetched from aside, comparing them takes several times as long.
alter table embeddings set (toast_tuple_target = 8160);
create index on embeddings (organization_id, container_id, model, passage_id);
-- An index holds vectors of one dimension; those of a dimension without an index are compared one by one.
create index embeddings_256 on embeddings using hnsw ((embedding::vector(256)) vector_cosine_ops)
  where dimension = 256;
create index embeddings_384 on embeddings using hnsw ((embedding::vector(384)) vector_cosine_ops)
  where dimension = 384;
create index embeddings_512 on embeddings using hnsw ((embedding::vector(512)) vector_cosine_ops)
  where dimension = 512;
create index embeddings_768 on embeddings using hnsw ((embedding::vector(768)) vector_cosine_ops)
  where dimension = 768;
create index embeddings_1024 on embeddings using hnsw ((embedding::vector(1024)) vector_cosine_ops)
  where dimension = 1024;
create index embeddings_1536 on embeddings using hnsw ((embedding::vector(1536)) vector_cosine_ops)
  where dimension = 1536;
-- Beyond 2,000 dimensions pgvector indexes half-precision numbers alone, up to 4,000.
create index embeddings_2560 on embeddings using hnsw ((embedding::halfvec(2560)) halfvec_cosine_ops)
  where dimension = 2560;
create index embeddings_3072 on embeddings using hnsw ((embedding::halfvec(3072)) halfvec_cosine_ops)
  where dimension = 3072;

-- The vectors that a hosted store holds, or is to hold, or is to lose: those of the archives that lie there. A row outlives
-- its passage, its archive and its organization until the store has let go of the vector.
create table hosted_vectors (
  organization_id text collate "C" not null,
  container_id text collate "C" not null,
  model text collate "C" not null,
  passage_id text collate "C" not null,
  provider text not null,
  -- How often the vector came or went, and how many of these changes the store has seen.
  changes integer not null default 1,
  synced integer not null default 0,
  primary key (organization_id, container_id, model, passage_id)
);
create index on hosted_vectors (organization_id, container_id, model, passage_id) where changes > synced;

create function note_hosted_vectors_added() returns trigger language plpgsql as $$
begin
  insert into hosted_vectors (organization_id, container_id, model, passage_id, provider)
    select added.organization_id, added.container_id, added.model, added.passage_id, archives.vector_db_provider
    from added
    join archives on archives.organization_id = added.organization_id and archives.id = added.container_id
    where archives.vector_db_provider <> 'native'
    on conflict (organization_id, container_id, model, passage_id)
    do update set changes = hosted_vectors.changes + 1;
  return null;
end $$;
create trigger embeddings_hosted_on_insert after insert on embeddings
  referencing new table as added for each statement execute function note_hosted_vectors_added();

create function note_hosted_vectors_removed() returns trigger language plpgsql as $$
begin
  update hosted_vectors set changes = changes + 1 from removed
    where hosted_vectors.organization_id = removed.organization_id
      and hosted_vectors.container_id = removed.container_id and hosted_vectors.model = removed.model
      and hosted_vectors.passage_id = removed.passage_id;
  return null;
end $$;
create trigger embeddings_hosted_on_delete after delete on embeddings
  referencing old table as removed for each statement execute function note_hosted_vectors_removed();

-- `embedding_config` is what was asked for. While passages are being embedded with it, `serving_config` is what answers.
alter table archives
  add column serving_config jsonb,
  add column embedding_error text,
  -- Why the hosted store could not be brought up to date.
  add column store_error text;
alter table folders
  add column serving_config jsonb,
  add column embedding_error text;

-- How many numbered lines a file's text has as agents are shown it: src/files/lines.ts.
alter table files add column line_count integer;

-- The files of an agent in the order they are listed, and those it has open.
create index on files_agents (organization_id, agent_id, created_at, id);
create index on files_agents (organization_id, agent_id) where is_open;

-- Files of a folder by their names, which may be longer than an index takes.
create index on files (organization_id, source_id, hashtextextended(original_file_name, 0));
create index on files (organization_id, source_id, hashtextextended(file_name, 0));

-- What was uploaded, in pieces, until it has been read.
create table file_parts (
  organization_id text collate "C" not null,
  file_id text collate "C" not null,
  position integer not null,
  bytes bytea not null,
  primary key (organization_id, file_id, position),
  foreign key (organization_id, file_id) references files (organization_id, id) on delete cascade
);

create table providers (
  organization_id text collate "C" not null references organizations on delete cascade,
  id text collate "C" not null,
  version integer not null default 1,
  name text not null,
  provider_type text not null,
  base_url text,
  region text,
  api_version text,
  -- Encrypted like secrets; they never leave the server.
  api_key_enc text,
  access_key_enc text,
  last_synced timestamptz(3),
  -- Why the last listing of its models failed.
  sync_error text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_id text,
  last_updated_by_id text,
  primary key (organization_id, id),
  constraint providers_name_key unique (organization_id, name)
);
create index on providers (organization_id, created_at, id);

-- The models of a provider as it listed them, or as its owner named them.
create table provider_models (
  organization_id text collate "C" not null,
  provider_id text collate "C" not null,
  model_type text not null check (model_type in ('llm', 'embedding')),
  name text not null,
  display_name text,
  context_window integer,
  max_output_tokens integer,
  embedding_dim integer,
  -- Named by the owner: a listing neither changes nor removes it.
  pinned boolean not null default false,
  primary key (organization_id, provider_id, model_type, name),
  foreign key (organization_id, provider_id) references providers (organization_id, id) on delete cascade
);

-- The same for the providers that the server's settings name, which every organization has.
create table base_providers (
  name text collate "C" primary key,
  provider_type text not null,
  -- Where its API is.
  url text,
  last_synced timestamptz(3),
  sync_error text
);
create table base_models (
  provider_name text collate "C" not null references base_providers on delete cascade,
  model_type text not null check (model_type in ('llm', 'embedding')),
  name text not null,
  display_name text,
  context_window integer,
  max_output_tokens integer,
  embedding_dim integer,
  primary key (provider_name, model_type, name)
);

-- Where the background work is kept. The library that does it makes its tables there; only an administrator's having
-- made it already keeps a role without the right to make schemas from failing here.
do $$ begin
  if not exists (select from pg_namespace where nspname = 'jobs') then create schema jobs; end if;
end $$;
