-- A run that an Idempotency-Key named knows its request, so that the key can't be used for another; and it keeps its tokens,
-- for the response to a repeated request.

alter table run_otids add column fingerprint text;
alter table runs add column usage json;
