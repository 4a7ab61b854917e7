-- Requests for approval: listed for the whole organization, oldest first, and denied when their time is over.
alter table threads add column pending_expires_at timestamptz(3);
create index on threads (organization_id, ((pending_approval ->> 'id') collate "C")) where pending_approval is not null;
create index on threads (pending_expires_at) where pending_expires_at is not null;
