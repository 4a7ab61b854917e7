-- A resource is read whole, with what is attached to it. Many long attachments together would take all memory of the server,
-- so statements that read them compute the size first, and call this function where it is beyond the bound. It is volatile, so
-- that no planner calls it: it always fails, and names the resource.
create function refuse_size(id text) returns boolean language plpgsql as $$
begin
  raise exception using errcode = 'CA001', message = id;
end $$;
