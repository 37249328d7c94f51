import { describe, expectTypeOf, it } from 'vitest'
import type { BodyOf, Contract, Endpoint, ParametersOf, ReplyOf } from './endpoint.ts'
import { reads, writes } from './endpoint-kinds.ts'
import { boolean, choice, decimal, integer, integerChoice, listOf, literal, objectOf, text } from './fields.ts'

const setRelay = {
  ...writes,
  path: '/relay/{relay}',
  parameters: { relay: { min: 1, max: 2, description: 'the relay', example: 1 } },
  body: objectOf(
    {
      state: choice(['on', 'off']),
      percent: integerChoice([0, 20]),
      times: listOf(objectOf({ ms: integer() }), { count: 2 }),
      quiet: boolean(),
    },
    { optional: ['quiet'] },
  ),
  summary: 'Clicks',
  spec: 'Relay, rule 1',
  check: ({ percent }: { readonly percent: number }) => (percent === 0 ? 'percent is 0' : undefined),
} as const satisfies Endpoint
const getRelay = {
  ...reads,
  path: '/relay',
  reply: objectOf({ celsius: decimal(), name: text(), kind: literal('relay') }),
  summary: 'Looks',
  spec: 'Relay, rule 2',
} as const satisfies Endpoint

describe('the types of an endpoint', () => {
  it('include its body with optional fields', () => {
    const body: BodyOf<typeof setRelay> = { state: 'on', percent: 20, times: [{ ms: 1 }] }
    expectTypeOf(body.state).toEqualTypeOf<'on' | 'off'>()
    expectTypeOf(body.percent).toEqualTypeOf<0 | 20>()
    expectTypeOf(body.times[0]?.ms).toEqualTypeOf<number | undefined>()
    expectTypeOf(body.quiet).toEqualTypeOf<boolean | undefined>()
    expectTypeOf<BodyOf<typeof getRelay>>().toEqualTypeOf<undefined>()
  })

  it('include its reply', () => {
    expectTypeOf<ReplyOf<typeof setRelay>['status']>().toEqualTypeOf<'success'>()
    const reply: ReplyOf<typeof getRelay> = { celsius: 1.5, name: 'a', kind: 'relay' }
    expectTypeOf(reply.kind).toEqualTypeOf<'relay'>()
  })

  it('include its parameters', () => {
    expectTypeOf<ParametersOf<typeof setRelay>>().toEqualTypeOf<{ readonly relay: number }>()
    expectTypeOf<keyof ParametersOf<typeof getRelay>>().toEqualTypeOf<never>()
  })

  it('fit into a contract', () =>
    expectTypeOf({
      service: 'relay',
      serviceName: 'relay-module',
      port: 8004,
      title: 'Relay',
      description: 'Clicks.',
      defaultSlots: [4],
      endpoints: { getRelay, setRelay },
    }).toExtend<Contract>())
})
