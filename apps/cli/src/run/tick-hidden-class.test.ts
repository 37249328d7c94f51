import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { nextTurn } from '@slotwire/core'
import { expect, it } from 'vitest'
import { pinTickHiddenClass } from './tick-hidden-class.ts'

it('pinTickHiddenClass keeps a tick object alive during a garbage collection', async () => {
  const tick = new WeakRef(pinTickHiddenClass() as object)
  const forgotten = new WeakRef({})
  // The target of a weak reference lives until the end of the turn.
  await nextTurn()
  collectGarbage()
  expect(forgotten.deref()).toBeUndefined()
  expect(tick.deref()).toBeDefined()
})

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
}
