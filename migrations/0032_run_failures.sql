-- How a run failed, with the error of its caller: whoever waits for it at another server gets the same response.
alter table runs add column failure json;
