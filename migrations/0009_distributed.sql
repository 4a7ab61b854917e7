-- Foreign keys that a distributed PostgreSQL (Citus) refuses, `on update cascade` and `on delete set null`, become
-- triggers: the schema can then be distributed by organization as it is.

alter table agents_blocks
  drop constraint agents_blocks_organization_id_block_id_block_label_fkey,
  add foreign key (organization_id, block_id) references blocks (organization_id, id) on delete cascade;
alter table blocks drop constraint blocks_organization_id_id_label_key_key;

-- A writer of agents_blocks locks the blocks (for share) before it copies their labels: a label can't change in between.
create function carry_block_label() returns trigger language plpgsql as $$
begin
  update agents_blocks set block_label = new.label_key
    where organization_id = new.organization_id and block_id = new.id;
  return null;
end $$;
create trigger agents_blocks_on_label after update of label on blocks
  for each row when (old.label_key is distinct from new.label_key) execute function carry_block_label();

alter table messages drop constraint messages_organization_id_group_id_fkey;

create function clear_group_of_messages() returns trigger language plpgsql as $$
begin
  update messages set group_id = null where organization_id = old.organization_id and group_id = old.id;
  return null;
end $$;
create trigger messages_on_group_delete after delete on groups
  for each row execute function clear_group_of_messages();

-- Identity columns count per server: the clock gives the positions of attachments instead, in microseconds. Present
-- positions are smaller than any new one.
alter table agents_blocks alter column position drop identity, alter column position set default 0;
alter table agents_archives alter column position drop identity, alter column position set default 0;
alter table agents_folders alter column position drop identity, alter column position set default 0;
alter table agents_tools alter column position drop identity, alter column position set default 0;
alter table agents_identities alter column position drop identity, alter column position set default 0;
alter table blocks_identities alter column position drop identity, alter column position set default 0;
alter table groups_agents alter column position drop identity, alter column position set default 0;
alter table groups_blocks alter column position drop identity, alter column position set default 0;
alter table template_versions_tools alter column position drop identity, alter column position set default 0;
alter table template_versions_folders alter column position drop identity, alter column position set default 0;
alter table template_versions_identities alter column position drop identity, alter column position set default 0;
alter table access_tokens_agents alter column position drop identity, alter column position set default 0;
