import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { Create, Id, Int, Patch } from '../../lib/wire.ts'

const buffer = (description: string) => Int({ minimum: 5, description })

/** The fields that configure managers. */
const FIELDS = {
  manager_agent_id: Id('agent'),
  max_turns: Int(),
  termination_token: Type.String({ description: 'What ends the conversation. Default DONE!' }),
  sleeptime_agent_frequency: Int({ description: 'After how many turns the sleep-time agents run.' }),
  max_message_buffer_length: buffer('Desired maximum of messages in context. Asks for the minimum too.'),
  min_message_buffer_length: buffer('Desired minimum of messages in context. Asks for the maximum too.'),
}

type Field = keyof typeof FIELDS

/** Which of them each type of manager has, and which of those it can't do without. */
const MANAGERS = {
  round_robin: { required: [], optional: ['max_turns'] },
  supervisor: { required: ['manager_agent_id'], optional: [] },
  dynamic: { required: ['manager_agent_id'], optional: ['termination_token', 'max_turns'] },
  sleeptime: { required: ['manager_agent_id'], optional: ['sleeptime_agent_frequency'] },
  voice_sleeptime: {
    required: ['manager_agent_id'],
    optional: ['max_message_buffer_length', 'min_message_buffer_length'],
  },
  swarm: { required: [], optional: ['manager_agent_id', 'max_turns'] },
} as const satisfies Record<string, { required: readonly Field[]; optional: readonly Field[] }>

export type ManagerType = keyof typeof MANAGERS
export const MANAGER_TYPES = Object.keys(MANAGERS) as ManagerType[]

type Values = Static<TObject<typeof FIELDS>>
export type Manager = { manager_type: ManagerType } & { [F in Field]?: Values[F] | null | undefined }

/** A union told apart by `manager_type`, of one variant per type. `fields` replace the fields of the same names. */
const union = (variant: (fields: TProperties, required: readonly string[]) => object, fields: TProperties = {}) =>
  Type.Unsafe<Manager>({
    anyOf: Object.entries(MANAGERS).map(([type, { required, optional }]) =>
      variant(
        {
          manager_type: Type.Literal(type),
          ...Object.fromEntries([...required, ...optional].map((field) => [field, fields[field] ?? FIELDS[field]])),
        },
        ['manager_type', ...required],
      ),
    ),
  })

/** The manager of a new group. */
export const CreateManager = union((fields, required) => Create(fields, required))

/** The manager of a new group whose agent has an id of another schema. */
export const managerNaming = (manager_agent_id: TSchema) =>
  union((fields, required) => Create(fields, required), { manager_agent_id })

/** Changes to a group's manager: what is absent stays, `null` clears an optional field. */
export const UpdateManager = union((fields, required) => Patch(fields, required, { required: ['manager_type'] }))
