-- Writing the source of tools has a scope of its own. Keys that could do it go on doing it.
update api_keys set scopes = scopes || '["tools:write"]' where scopes @> '["write"]';
