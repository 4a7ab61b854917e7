-- The price of a step's call, in US dollars: of models whose price the server knows, or whose provider reports it.

alter table steps add column cost double precision;
