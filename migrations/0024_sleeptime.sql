-- Agents think while others sleep: the runs of the manager that the members of a sleep-time group have not read yet. They are
-- counted and read in the commit that ends a run of the manager.

alter table groups add column unprocessed_run_ids text[] collate "C" not null default '{}';
