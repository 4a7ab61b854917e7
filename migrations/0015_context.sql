-- A thread knows how full its model's window is, and how far compaction has shortened its tool returns.

alter table threads
  -- The tokens of the latest prompt by its model's own count, beside the server's estimate of the same prompt:
  -- {"model", "estimated", "reported"}.
  add column token_count json,
  -- The last message whose tool returns the model sees shortened.
  add column shortened_to text collate "C";
