-- An identity goes out with the ids of its agents in their order: here they lie side by side.
create index on agents_identities (organization_id, identity_id, position, agent_id);
