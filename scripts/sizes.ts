import { report, sourceFiles } from './files.ts'

/** A file of this many lines or more is two things. */
const LIMIT = 400

const linesOf = (text: string) => text.split('\n').length - 1

report(
  'sizes',
  [...sourceFiles()]
    .filter(([, text]) => linesOf(text) >= LIMIT)
    .map(
      ([path, text]) =>
        `${path} has ${linesOf(text)} lines; a file stays under ${LIMIT}. ` +
        'Name the two things it does and move one to a file of its own.',
    ),
)
