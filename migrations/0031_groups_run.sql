-- Groups run: messages to a group are a run of the group, on a thread of its own; each turn of a member is a run below it.

alter table threads alter column agent_id drop not null,
  add column group_id text collate "C",
  add foreign key (organization_id, group_id) references groups (organization_id, id) on delete cascade;
create index on threads (organization_id, group_id) where group_id is not null;

insert into threads (organization_id, id, group_id) select organization_id, id, id from groups;
create function make_thread_of_group() returns trigger language plpgsql as $$
begin
  insert into threads (organization_id, id, group_id) values (new.organization_id, new.id, new.id);
  return null;
end $$;
create trigger threads_on_group_insert after insert on groups
  for each row execute function make_thread_of_group();

alter table runs alter column agent_id drop not null,
  -- The group that a run belongs to. A run without an agent is the group's own.
  add column group_id text collate "C",
  -- The run of the group, and the number of the turn in it; a run without a number is asked for by a member.
  add column parent_run_id text collate "C",
  add column turn integer;
create index on runs (organization_id, group_id, created_at, id) where group_id is not null;
create index on runs (organization_id, parent_run_id) where parent_run_id is not null;
create unique index runs_one_per_turn on runs (organization_id, parent_run_id, turn) where turn is not null;

-- The runs of members stay with their agents.
create function clear_group_of_runs() returns trigger language plpgsql as $$
begin
  delete from runs where organization_id = old.organization_id and group_id = old.id and agent_id is null;
  update runs set group_id = null where organization_id = old.organization_id and group_id = old.id;
  return null;
end $$;
create trigger runs_on_group_delete after delete on groups
  for each row execute function clear_group_of_runs();
