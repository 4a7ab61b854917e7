import type { Value } from './json-schema.ts'

/** A position in a source; line and column count from 1. */
export interface Position {
  line: number
  column: number
}

/** The reason why no tool can be made from a source, and its position. */
export interface SourceFault {
  position?: Position | undefined
  message: string
}

/** Thrown for a source that no tool can be made from. */
export class UnreadableSource extends Error {
  readonly faults: readonly SourceFault[]

  constructor(...faults: SourceFault[]) {
    super(faults.map(({ message }) => message).join('; '))
    this.faults = faults
  }
}

/** A parameter of a function. */
export interface Parameter {
  name: string
  position: Position
  /** Reads the type. Throws UnreadableSource for a type that JSON can't represent. */
  value: () => Value
  description: string | undefined
}

/** The function that a tool calls. */
export interface Signature {
  name: string
  position: Position
  description: string | undefined
  parameters: Parameter[]
  /** For error messages: the places that descriptions belong in. */
  described: { whole: string; parameter: string }
}
