import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collect, ROLL, results, said } from '../collect.ts'
import type { Json } from '../shape.ts'
import { type ScriptedModel, startScriptedModel } from './model.ts'

let scripted: ScriptedModel
beforeAll(async () => {
  scripted = await startScriptedModel()
})
afterAll(() => scripted.close())

const ask = (prompt: Json, more: Json = {}) =>
  collect(createOpenAICompatible({ name: 'scripted', baseURL: scripted.url }).chatModel('any'), { prompt, ...more })

describe('the scripted model', () => {
  test('gives its answers in order, then those of cairn/scripted', async () => {
    scripted.add({ reasoning: 'Hm.', text: 'One.' }, ({ body }) => ({ text: `You ask ${body.model}.` }))
    expect(await ask([said('Hi.')])).toMatchObject({ reasoning: 'Hm.', text: 'One.' })
    expect((await ask([said('Hi.')])).text).toBe('You ask any.')
    expect((await ask([said('Hi.')])).text).toMatch(/^You said: "Hi\."\./)
    expect(scripted.requests.at(-1)!.body.messages).toEqual([{ role: 'user', content: 'Hi.' }])
  })

  test('calls the tools that a message names, and repeats their results', async () => {
    const question = said('!call roll {"sides": 6}')
    const first = await ask([question], { tools: [ROLL] })
    expect(first.calls).toMatchObject([{ name: 'roll', input: '{"sides":6}' }])
    const prompt = [question, { role: 'assistant', content: first.content }, results(first.calls, 'You rolled 5.')]
    expect((await ask(prompt, { tools: [ROLL] })).text).toBe('roll returned: You rolled 5.')
  })

  test('fails and breaks off as the script says', async () => {
    scripted.add({ error: { status: 503, message: 'Busy.' } }, { text: 'Half of it', cutAfter: 2 })
    await expect(ask([said('Hi.')])).rejects.toMatchObject({ statusCode: 503, message: 'Busy.' })
    const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'Hi.' }] })
    const response = await fetch(`${scripted.url}/chat/completions`, { method: 'POST', body })
    let received = ''
    const read = async () => {
      for await (const chunk of response.body!) received += Buffer.from(chunk)
    }
    await expect(read()).rejects.toThrow('terminated')
    expect(received.match(/^data: /gm)).toHaveLength(2)
  })

  test('a stream stops where the test wants it, and goes on', async () => {
    const { promise: until, resolve: goOn } = Promise.withResolvers<void>()
    scripted.add({ text: 'One, two, three.', pause: { after: 3, until } })
    const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'Count.' }] })
    const response = await fetch(`${scripted.url}/chat/completions`, { method: 'POST', body })
    let received = ''
    let stoppedAt = 0
    for await (const chunk of response.body!) {
      received += Buffer.from(chunk)
      const events = received.match(/^data: /gm)!.length
      if (stoppedAt > 0 || events < 3) continue
      stoppedAt = events
      goOn()
    }
    expect(stoppedAt).toBe(3)
    expect(received).toMatch(/data: \[DONE\]\n\n$/)
  })

  test('an answer waits until the test lets it go, and a client that goes away is seen', async () => {
    const held = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    scripted.add(async () => {
      arrived.resolve()
      await held.promise
      return { text: 'Late.' }
    })
    const controller = new AbortController()
    const asked = ask([said('Hi.')], { abortSignal: controller.signal })
    await arrived.promise
    controller.abort()
    await expect(asked).rejects.toThrow('aborted')
    expect(await scripted.requests.at(-1)!.closed).toBe(false)
    held.resolve()
  })
})
