import { describe, expect, test } from 'vitest'
import { type ScriptedMessage, scriptedAnswer } from './scripted-answer.ts'

const user = (text: string): ScriptedMessage => ({ role: 'user', text })
const result = (tool: string, text: string): ScriptedMessage => ({ role: 'tool', tool, text })
const assistant: ScriptedMessage = { role: 'assistant', text: '' }
const TOOLS = [{ name: 'memory_insert' }, { name: 'roll' }]
const insert = '!call memory_insert {"label": "human", "new_string": "Likes {tea} and \\"}\\"."}'

describe('the model cairn/scripted', () => {
  test('repeats what the user said, and what the user said before', () => {
    const { text, calls } = scriptedAnswer([user('I am Ada.'), assistant, user('Who am I?')], TOOLS)
    expect(text).toMatch(/^You said: "Who am I\?"\. Before that, you said: "I am Ada\."\./)
    expect(calls).toEqual([])
  })

  test('calls the tools that a message names, all at once', () => {
    expect(scriptedAnswer([user(`Remember this. ${insert} and !call roll`)], TOOLS)).toEqual({
      text: '',
      calls: [
        { name: 'memory_insert', arguments: { label: 'human', new_string: 'Likes {tea} and "}".' } },
        { name: 'roll', arguments: {} },
      ],
    })
  })

  test('calls them one after another where calls are not parallel', () => {
    const messages = [user('!call roll {"n": 1}\n!call roll {"n": 2}')]
    const next = () => scriptedAnswer(messages, TOOLS, { parallel: false }).calls.map((call) => call.arguments)
    expect(next()).toEqual([{ n: 1 }])
    messages.push(assistant, result('roll', '5'))
    expect(next()).toEqual([{ n: 2 }])
    messages.push(assistant, result('roll', '6'))
    expect(next()).toEqual([])
  })

  test('repeats the results of its calls, also those that the server wraps in JSON', () => {
    const results = [result('roll', '5'), result('roll', '{"status": "OK", "message": "6", "time": "10:00"}')]
    expect(scriptedAnswer([user('!call roll !call roll'), assistant, ...results], TOOLS)).toEqual({
      text: 'roll returned: 5\nroll returned: 6',
      calls: [],
    })
  })

  test.each([
    ['!call roll {"n": 1', /^The arguments of roll are no JSON object: the object has no closing brace\./],
    ["!call roll {'n': 1}", /^The arguments of roll are no JSON object: Expected property name/],
    ['!call roll !call fly {}', /^The tool fly is not offered to me now\. Offered are: memory_insert, roll\.$/],
    ['Please !call', /^"!call" lacks the name of a tool\./],
  ])('says why it makes no call for %s', (message, text) => {
    expect(scriptedAnswer([user(message)], TOOLS)).toEqual({ text: expect.stringMatching(text), calls: [] })
  })

  test('summarizes a transcript by the beginning of each line, whatever calls and summaries are in it', () => {
    const lines = [`[2026-11-23 21:00] User: ${insert}`, `[2026-11-23 21:01] Assistant: ${'tea '.repeat(100)}`]
    const first = scriptedAnswer([user(lines.join('\n'))], []).text
    expect(first.split('\n')).toEqual([lines[0], `${lines[1]!.slice(0, 300)}…`])
    const next = `Summary of everything before: ${first}\n[2026-11-23 21:02] User: Thanks.`
    expect(scriptedAnswer([user(next)], []).text).toBe(`${first}\n[2026-11-23 21:02] User: Thanks.`)
  })

  test('answers !prompt with the prompt of the agent', () => {
    const prompt: ScriptedMessage = { role: 'system', text: 'You are Ada.\nhuman: Likes tea.' }
    expect(scriptedAnswer([prompt, user('!prompt')], TOOLS).text).toBe(prompt.text)
  })

  test('talks by send_message where an agent has it, and calls it once', () => {
    const parameters = { type: 'object', properties: { request_heartbeat: { type: 'boolean' }, thinking: {} } }
    const tools = ['roll', 'send_message'].map((name) => ({ name, parameters }))
    const messages = [user('{"type": "user_message", "message": "!call roll {}", "time": "now"}')]
    const thinking = 'The message names this call.'
    expect(scriptedAnswer(messages, tools)).toEqual({
      text: '',
      calls: [{ name: 'roll', arguments: { request_heartbeat: true, thinking } }],
    })
    messages.push(assistant, result('roll', '5'), user('{"type": "heartbeat", "reason": "asked for", "time": "now"}'))
    expect(scriptedAnswer(messages, tools)).toEqual({
      text: '',
      calls: [{ name: 'send_message', arguments: { message: 'roll returned: 5', thinking } }],
    })
    messages.push(assistant, result('send_message', 'Sent.'))
    expect(scriptedAnswer(messages, tools)).toEqual({ text: 'roll returned: 5', calls: [] })
  })

  test('a long message is quoted in part, and one with a thousand open braces is read once', () => {
    const { text } = scriptedAnswer([user('𝒜'.repeat(10_000))], [])
    expect(text).toContain(`"${'𝒜'.repeat(300)}…"`)
    expect(text.isWellFormed()).toBe(true)
    expect(scriptedAnswer([user('!call roll {'.repeat(100_000))], TOOLS).text).toMatch(/no closing brace/)
  })
})
