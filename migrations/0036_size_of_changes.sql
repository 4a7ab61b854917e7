-- A page of the history ends where its changes are large, so that reading it holds up nobody else. The size lies beside the JSON:
-- to measure the JSON, the database would have to read it.
alter table revisions add column bytes integer not null generated always as (octet_length(resource::text)) stored;
