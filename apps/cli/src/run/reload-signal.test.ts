import { nextTurn } from '@slotwire/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { inOrder } from './in-order.ts'
import { reloadSignal } from './until-stopped.ts'

let failures: string[]
beforeEach(() => (failures = []))

function signal(terminal: () => boolean) {
  let hangUp: () => void = () => undefined
  const reload = reloadSignal({
    terminal,
    onFailure: (error) => failures.push(String(error)),
    onSignal: (listener) => {
      hangUp = listener
    },
  })
  return { reload, hangUp: () => hangUp() }
}

describe('SIGHUP', () => {
  it('reloads once at a time, and once for all signals during a reload', async () => {
    const { reload, hangUp } = signal(() => false)
    const ended: (() => void)[] = []
    reload.follow(() => new Promise((resolve) => ended.push(resolve)))
    hangUp()
    hangUp()
    hangUp()
    expect(ended).toHaveLength(1)
    ended[0]?.()
    await nextTurn()
    expect(ended).toHaveLength(2)
    ended[1]?.()
    await nextTurn()
    expect(ended).toHaveLength(2)
    hangUp()
    expect(ended).toHaveLength(3)
  })

  it('reports a failed reload, and still reloads at the next signal', async () => {
    const { reload, hangUp } = signal(() => false)
    let reloads = 0
    reload.follow(async () => {
      reloads++
      throw new Error('no')
    })
    hangUp()
    await nextTurn()
    hangUp()
    await nextTurn()
    expect([reloads, failures]).toEqual([2, ['Error: no', 'Error: no']])
  })

  it('during the start of the server is not lost', () => {
    const { reload, hangUp } = signal(() => false)
    let reloads = 0
    hangUp()
    reload.follow(async () => {
      reloads++
    })
    expect(reloads).toBe(1)
  })

  it('ends a server whose terminal is gone, and no other', async () => {
    let terminal = true
    const { reload, hangUp } = signal(() => terminal)
    let reloads = 0
    reload.follow(async () => {
      reloads++
    })
    hangUp()
    expect(reloads).toBe(1)
    terminal = false
    hangUp()
    await reload.terminalGone
    expect(reloads).toBe(1)
  })
})

it('inOrder runs every step in order even after a failure, and rejects with the first one', async () => {
  const taken: string[] = []
  const steps = [
    () => void taken.push('one'),
    async () => {
      taken.push('two')
      throw new Error('two failed')
    },
    () => {
      taken.push('three')
      throw new Error('three failed')
    },
    async () => taken.push('four'),
  ]
  await expect(inOrder(steps)).rejects.toThrow('two failed')
  expect(taken).toEqual(['one', 'two', 'three', 'four'])
})
