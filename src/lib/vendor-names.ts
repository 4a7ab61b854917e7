/** Values of enumerations: neutral name → name in the Letta API. Names are unique, so one table serves all enumerations. */
export const VALUES: Readonly<Record<string, string>> = {
  mem_agent: 'memgpt_agent',
  mem_v2_agent: 'memgpt_v2_agent',
  svc_v1_agent: 'letta_v1_agent',
  svc_core: 'letta_core',
  svc_memory_core: 'letta_memory_core',
  svc_multi_agent_core: 'letta_multi_agent_core',
  svc_sleeptime_core: 'letta_sleeptime_core',
  svc_voice_sleeptime_core: 'letta_voice_sleeptime_core',
  svc_builtin: 'letta_builtin',
  svc_files_core: 'letta_files_core',
  cairn: 'letta',
}

/** Fields of objects and parameters of queries: neutral name → name in the Letta API. */
export const FIELDS: Readonly<Record<string, string>> = {
  cloud_deployment: 'azure_deployment',
  cloud_endpoint: 'azure_endpoint',
  cloud_version: 'azure_version',
  return_only_svc_tools: 'return_only_letta_tools',
  exclude_svc_tools: 'exclude_letta_tools',
}

const inverse = (table: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(table).map(([neutral, vendor]) => [vendor, neutral]))

/** Values of enumerations: name in the Letta API → neutral name. */
export const NEUTRAL_VALUES = inverse(VALUES)
/** Fields and parameters: name in the Letta API → neutral name. */
export const NEUTRAL_FIELDS = inverse(FIELDS)
