import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely'

/** A parameter of a cached statement, in the place of its value. */
class Parameter {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** The values of a statement, by name. In a cached statement, parameters stand in their place; `undefined` stays. */
export type Values = Readonly<Record<string, unknown>>

type Build = (values: Values) => RawBuilder<unknown>

interface Template {
  sql: string
  /** The name of each parameter's value; a constant of the statement stands for itself. */
  parameters: readonly unknown[]
}

/** Compiled statements, by a subject and a key that together name all that their SQL depends on. */
export interface StatementCache {
  /**
   * The statement of this subject and key with these values. `build` runs once for them and for the set of values that are
   * undefined: building and compiling a statement take as long as sending it.
   */
  compile(subject: object, key: string, values: Values, build: Build): CompiledQuery
}

/** The most statements of one subject: callers choose among more. */
const MAX_STATEMENTS = 500

/** Makes a cache of compiled statements for one database. */
export function createStatementCache(): StatementCache {
  /** Compiles statements, and runs none. */
  const compiler = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  const bySubject = new WeakMap<object, Map<string, Template>>()

  function templateOf(subject: object, key: string, values: Values, build: Build): Template {
    const templates = bySubject.get(subject) ?? new Map<string, Template>()
    bySubject.set(subject, templates)
    const present = Object.keys(values).filter((name) => values[name] !== undefined)
    const fullKey = `${key} ${present}`
    const known = templates.get(fullKey)
    if (known) return known
    const placeholders = Object.fromEntries(present.map((name) => [name, new Parameter(name)]))
    const template = build(placeholders).compile(compiler)
    if (templates.size >= MAX_STATEMENTS) templates.clear()
    templates.set(fullKey, template)
    return template
  }

  return {
    compile(subject, key, values, build) {
      const { sql, parameters } = templateOf(subject, key, values, build)
      return CompiledQuery.raw(
        sql,
        parameters.map((parameter) => (parameter instanceof Parameter ? values[parameter.name] : parameter)),
      )
    },
  }
}
