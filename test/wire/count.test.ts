import { describe, expect, test } from 'vitest'
import { agreementOf, agrees } from './count.ts'

describe('the agreement with a recording', () => {
  test('counts the steps without a difference', () => {
    const differences = [
      { where: '1 GET /v1/runs.id', what: 'missing' },
      { where: '1 GET /v1/runs.status', what: 'missing' },
    ]
    const agreement = agreementOf('runs', 3, differences, [])
    expect(agreement).toMatchObject({ agreeing: 2, accepted: 0, differences })
    expect(agrees(agreement)).toBe(false)
  })

  test('a step that was not reached, and all behind it, agree with nothing', () => {
    expect(agreementOf('runs', 5, [{ where: '2 GET /v1/runs', what: 'not reached' }], []).agreeing).toBe(2)
  })

  test('a deviation accepts differences of its scenario at its place', () => {
    const differences = [{ where: '1 GET /v1/runs[0].otid', what: 'missing' }]
    const deviation = { scenario: '^runs$', where: 'otid$', why: 'It is made up.' }
    expect(agrees(agreementOf('runs', 2, differences, [deviation]))).toBe(true)
    expect(agrees(agreementOf('steps', 2, differences, [deviation]))).toBe(false)
    expect(agrees(agreementOf('runs', 2, [{ where: '1 GET /v1/runs[0].id', what: 'missing' }], [deviation]))).toBe(
      false,
    )
  })

  test('a scenario that failed differs, even if each of its steps agrees', () => {
    expect(agrees(agreementOf('runs', 2, [{ where: 'scenario', what: 'it never ended' }], []))).toBe(false)
  })
})
