import type { Static } from 'typebox'
import type { CompactionSettings } from '../../resources/agents/schema.ts'

/** Settings of an agent, or of a request. */
export type GivenSettings = Partial<Static<typeof CompactionSettings>>
export type CompactionMode = NonNullable<GivenSettings['mode']>

const WHAT_MATTERS = `Write what the assistant needs to go on without the messages themselves, in this order:
1. What the person wants, and what has been agreed, with their own words where these matter.
2. Facts about the person, their people, things and plans: every name, number, date, path and id exactly as it stands.
   Where a later message corrects an earlier one, write the later one, and that it replaces the earlier.
3. What was done: tools that were called, what they returned that still matters, errors and how they were mended.
4. What is open: questions without an answer, promises, the next step.
An earlier summary among the messages is the only record of what it says: carry all of it over that still holds.
Don't guess, don't advise, don't greet. Answer with the summary alone.`

const PROMPTS: Readonly<Record<'all' | 'sliding', string>> = {
  all: `You summarize a conversation between a person and an assistant, because it no longer fits in front of the assistant.
The summary takes the place of all its messages. ${WHAT_MATTERS}`,
  sliding: `You summarize the older part of a conversation between a person and an assistant, because it no longer fits in
front of the assistant. The summary takes the place of these messages; the newer ones follow it. ${WHAT_MATTERS}`,
}

/** How a context is compacted. */
export interface Settings {
  mode: CompactionMode
  prompt: string
  acknowledgement: boolean
  /** Characters of a summary at most. */
  clipChars: number
  /** The share of the messages that a sliding window takes at first; the rest of the window is for what stays. */
  share: number
  model: string | undefined
  modelSettings: Readonly<Record<string, unknown>>
}

export const isSliding = (mode: CompactionMode) => mode.endsWith('sliding_window')

/** Whether the agent's own model summarizes, with the agent's own prompt. */
export const isSelf = (mode: CompactionMode) => mode.startsWith('self_')

const defaultPrompt = (mode: CompactionMode) => PROMPTS[isSliding(mode) ? 'sliding' : 'all']

/** The settings of a compaction: those of the request, then those of the agent, then the defaults. */
export function settingsOf(ofAgent: GivenSettings | null | undefined, ofRequest?: GivenSettings | null): Settings {
  const given = { ...ofAgent, ...ofRequest }
  const mode = given.mode ?? 'sliding_window'
  // The agent's prompt is for the agent's mode.
  const isOther = ofRequest?.mode !== undefined && ofRequest.mode !== ofAgent?.mode
  const prompt = ofRequest?.prompt ?? (isOther ? undefined : ofAgent?.prompt)
  return {
    mode,
    prompt: prompt || defaultPrompt(mode),
    acknowledgement: given.prompt_acknowledgement ?? false,
    clipChars: given.clip_chars ?? 50_000,
    share: given.sliding_window_percentage ?? 0.3,
    model: given.model ?? undefined,
    modelSettings: given.model_settings ?? {},
  }
}
