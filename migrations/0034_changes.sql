-- The list of all changes is read by kind of resource, newest first, and by whoever made them: a key, a user, an agent, a run.
-- The operation lies in the indexes, so that a filter of rare operations reads no rows of others.
create index revisions_kind on revisions (organization_id, kind, created_at, sequence, operation);
create index revisions_key on revisions (organization_id, (key_id collate "C"), kind, created_at, sequence, operation)
  where key_id is not null;
create index revisions_user on revisions (organization_id, (user_id collate "C"), kind, created_at, sequence, operation)
  where user_id is not null;
create index revisions_agent on revisions
  (organization_id, ((author ->> 'agent_id') collate "C"), kind, created_at, sequence, operation) where author is not null;
create index revisions_run on revisions
  (organization_id, ((author ->> 'run_id') collate "C"), kind, created_at, sequence, operation) where author is not null;
