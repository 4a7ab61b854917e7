-- Every agent has the settings of its model, which agree with the model's configuration: agents that were made without settings
-- get them, and fields that one side lacks come from the other.

update agents set
  llm_config = (llm_config::jsonb || jsonb_strip_nulls(jsonb_build_object(
    'temperature', model_settings -> 'temperature', 'max_tokens', model_settings -> 'max_output_tokens')))::json
where model_settings ->> 'temperature' is not null or model_settings ->> 'max_output_tokens' is not null;

update agents set
  model_settings = (coalesce(model_settings::jsonb, jsonb_strip_nulls(jsonb_build_object('provider_type',
      case when llm_config ->> 'model_endpoint_type' in ('openai', 'anthropic', 'moonshot_coding', 'google_ai', 'google_vertex',
        'azure', 'xai', 'groq', 'deepseek', 'together', 'bedrock', 'openrouter', 'moonshot', 'zai', 'baseten', 'chatgpt_oauth')
      then llm_config ->> 'model_endpoint_type' end)))
    || jsonb_strip_nulls(jsonb_build_object(
      'temperature', llm_config -> 'temperature', 'max_output_tokens', llm_config -> 'max_tokens')))::json
where model_settings is null
  or model_settings ->> 'temperature' is distinct from llm_config ->> 'temperature'
  or model_settings ->> 'max_output_tokens' is distinct from llm_config ->> 'max_tokens';
