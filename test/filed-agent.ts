/** An agent file: an agent with five files and at most two open. */
export const FILED = {
  agents: [{ id: 'agent-0', name: 'Reader', max_files_open: 2, folder_ids: ['source-0'] }],
  sources: [{ id: 'source-0', name: 'Papers' }],
  files: [0, 1, 2, 3, 4].map((n) => ({
    id: `file-${n}`,
    source_id: 'source-0',
    file_name: `${n}.txt`,
    content: `text ${n}`,
  })),
}
