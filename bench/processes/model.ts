import { startScriptedModel } from '../../test/models/scripted/model.ts'
import { serveParent } from './child.ts'

/** A scripted model in a process of its own, which responds at once, or with this many milliseconds between two tokens. */
export interface ModelRequest {
  pace?: number
}

const LONG = 'One answer of a dozen words, and then some more. '.repeat(10)

serveParent<ModelRequest, string>(async ({ pace }) => {
  const model = await startScriptedModel(pace === undefined ? {} : { answers: () => ({ text: LONG, pace }) })
  return model.url
})
