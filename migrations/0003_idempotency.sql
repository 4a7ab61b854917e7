-- Answers of writes, kept so that a request that is sent again gets the answer of the first and runs once. Written in
-- the transaction of the write itself: a crash leaves both or neither.

create table kept_answers (
  organization_id text collate "C" not null references organizations on delete cascade,
  -- A keyed hash of the request: nothing of it can be read from it.
  id text collate "C" not null,
  -- What was answered, encrypted: it may hold secrets, or a new API key.
  answer text not null,
  expires_at timestamptz(3) not null,
  primary key (organization_id, id)
);
create index on kept_answers (expires_at);
