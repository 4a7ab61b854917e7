/** Why something of the retired server's API is missing here. The first pattern that fits an operation, or one of its
 * differences written after it, counts; one that fits nothing, and what nothing fits, is an error. */
export type Reasons = readonly (readonly [pattern: RegExp, why: string])[]

/** Of operations (`GET /v1/runs/`) that aren't here. */
export const ABSENT: Reasons = [
  [/ \/v1\/(_internal_\w+|legacy-templates)\//, 'no plan: for the vendor’s own hosted service'],
  [/ \/v1\/(feeds|pipelines|metadata|environments|sandboxes|device-storage-key)\b/, 'no plan: hosted service only'],
  [/\/memory-files\b/, 'no plan: hosted service only'],
  [/\/agents\/search\b/, 'no plan: hosted service only; `GET /v1/agents/` filters by name, text, tags and more'],
  [/POST \/v1\/agents\/\{agent_id\}\/export$/, 'use `GET`; skills are not kept'],
  [/ \/v1\/voice-beta\//, 'no plan: deprecated upstream'],
  [
    /^PATCH .*\/messages\/\{message_id\}$/,
    'messages are history, and can’t be changed: a 405 with the reason, as upstream',
  ],
  [
    / \/v1\/jobs\//,
    'no plan: a job was a batch, which is under `/v1/messages/batches`, or a file’s processing, whose status the file has',
  ],
]

/** Of differences (`POST /v1/agents/ body: project`). */
export const DIFFERENT: Reasons = [
  [/^POST \/v1\/agents\/messages\/search answer: /, 'a found message has the fields of what was said, and no others'],
  [/ \/v1\/messages\/batches.* answer: /, 'a batch is made, carried out, and over; its runs have the rest'],
  [/^POST \/v1\/chat\/completions body: .*custom$/, 'functions are the only tools of a caller'],
  [/ \/v1\/runs\/\{run_id\}\/stream body: /, 'passed over: the path names the run'],
  [/\/run answer: (agent_state|sandbox_config_fingerprint)$/, 'null upstream, or a number that names nothing'],
  [/ takes listed values only$/, 'another value is a 422, not passed over'],
  [/\.manager_type is required$/, 'asked for upstream too, though its document doesn’t say so'],
  [
    / initial_message_sequence\[\]\.(group_id|batch_item_id)$/,
    'passed over: a first message is of no group and no batch',
  ],
  [
    /^POST \/v1\/agents\/ body: /,
    'passed over, as the open server did; agents of templates are made under `/v1/templates`',
  ],
  [/\/export query: conversation_id$/, 'the file has the messages of the agent itself; conversations stay here'],
  [/\/recompile body: compaction_settings$/, 'a prompt is compiled, and nothing summarized'],
  [/\/conversations\/.* body: \(nothing\)$/, 'needs none; a body may name the runs'],
  [/\/export body: /, 'no plan: a `GET` has no body'],
  [/\/export answer: \(string\)$/, 'the file as a JSON object, which is what the server sent too'],
  [/ answer: \(201\)$/, '200, as every other create'],
  [/ answer: \(nothing\)$/, 'answers what the shorter path does'],
  [/ \/v1\/providers\/.*\bprovider_type=letta$/, 'no plan: the vendor’s own hosted service'],
  [/ answer: .*\b(api|access)_key(_enc)?$/, 'keys never leave the server'],
  [/\/snapshot answer: /, 'a template holds one agent'],
  [
    / \/v1\/(mcp-servers|tools\/mcp\/servers)\b.* answer: .*\benv$/,
    'the settings of the server hold the environment of programs',
  ],
  [/ \/v1\/tools\/mcp\/servers\b.* answer: .*_meta$/, 'a note of the server for its own client'],
  [/ answer: .*\bis_deleted$/, 'there is none: what is deleted is gone'],
  [/ query: check_status_updates$/, 'what is told of a file is always what it is now'],
]

/** Operations that respond with passages. */
const PASSAGES = [
  'POST /v1/archives/{archive_id}/passages',
  'POST /v1/archives/{archive_id}/passages/batch',
  'GET /v1/sources/{source_id}/passages',
  'GET /v1/folders/{folder_id}/passages',
  'GET /v1/agents/{agent_id}/archival-memory',
  'POST /v1/agents/{agent_id}/archival-memory',
  'POST /v1/passages/search',
]

/** Limits of operations whose parameters and fields are complete. */
export const LIMITS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    PASSAGES.map((operation) => [operation, '`embedding` is null without `include=passage.embedding`']),
  ),
}
