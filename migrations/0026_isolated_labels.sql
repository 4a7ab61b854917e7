-- The labels of the agent's blocks that a conversation has copies of: they stay out of the conversation, also when its agent
-- renames or removes a copy.
alter table conversations add column isolated_block_labels json;
update conversations set isolated_block_labels = (
  select json_agg(blocks.label order by blocks.created_at, blocks.id) from blocks
  where blocks.organization_id = conversations.organization_id and blocks.conversation_id = conversations.id);
