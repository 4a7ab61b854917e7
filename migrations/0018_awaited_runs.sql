-- The runs of other agents whose replies a run waits for, or has waited for: agents that would wait for each other are found.

alter table runs add column awaits text[] collate "C";
