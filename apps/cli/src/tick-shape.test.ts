import { createHook } from 'node:async_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { keepTickShape } from './tick-shape.ts'

describe('keepTickShape', () => {
  it('keeps the shape of ticks over a garbage collection', () => {
    const kept = keepTickShape()
    collectGarbage()
    expect(haveSameShape(kept, tickMadeNow())).toBe(true)
  })
})

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
}

function haveSameShape(one: object, other: object): boolean {
  setFlagsFromString('--allow-natives-syntax')
  const compare = runInNewContext('(one, other) => %HaveSameMap(one, other)') as (one: object, other: object) => boolean
  return compare(one, other)
}

function tickMadeNow(): object {
  const ticks: object[] = []
  const hook = createHook({
    init: (_id, type, _trigger, resource) => {
      if (type === 'TickObject') ticks.push(resource)
    },
  })
  hook.enable()
  process.nextTick(() => undefined)
  hook.disable()
  return ticks[0] ?? {}
}
