-- Configurations of the built-in embedding model have one of the endpoint types of the API: `hugging-face`, without an address.
-- The keys of its vectors stay as they were.

create or replace function embedding_model(config jsonb) returns text immutable language sql as $$
  select case
      when config ->> 'embedding_endpoint_type' = 'hugging-face'
        and coalesce(config ->> 'embedding_endpoint', '') = '' and coalesce(config ->> 'cloud_endpoint', '') = ''
        and case when coalesce(config ->> 'handle', '') = '' then config ->> 'embedding_model' = 'lexical'
          else starts_with(config ->> 'handle', 'cairn/') end
      then 'native' else config ->> 'embedding_endpoint_type' end
    || '/' || (config ->> 'embedding_model') || '/' || (config ->> 'embedding_dim')
$$;

update agents set embedding_config = jsonb_set(embedding_config, '{embedding_endpoint_type}', '"hugging-face"')
  where embedding_config ->> 'embedding_endpoint_type' = 'native';
update archives set embedding_config = jsonb_set(embedding_config, '{embedding_endpoint_type}', '"hugging-face"')
  where embedding_config ->> 'embedding_endpoint_type' = 'native';
update archives set serving_config = jsonb_set(serving_config, '{embedding_endpoint_type}', '"hugging-face"')
  where serving_config ->> 'embedding_endpoint_type' = 'native';
update folders set embedding_config = jsonb_set(embedding_config, '{embedding_endpoint_type}', '"hugging-face"')
  where embedding_config ->> 'embedding_endpoint_type' = 'native';
update folders set serving_config = jsonb_set(serving_config, '{embedding_endpoint_type}', '"hugging-face"')
  where serving_config ->> 'embedding_endpoint_type' = 'native';
update template_versions
  set agent = regexp_replace(agent::text, '("embedding_endpoint_type": ?)"native"', '\1"hugging-face"')::json
  where agent -> 'embedding_config' ->> 'embedding_endpoint_type' = 'native';
