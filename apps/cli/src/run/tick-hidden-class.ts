import { createHook } from 'node:async_hooks'

/** What was kept; alive as long as this module. */
const kept: object[] = []

/**
 * Keeps one of the objects that Node.js makes for `process.nextTick` alive, and returns it; undefined where it makes none. V8 forgets
 * their shape when it collects garbage while there is none, and then builds each of them the slow way for as long as the process
 * lives: docs/decisions/0050-keep-one-tick-object.md.
 */
export function pinTickHiddenClass(): object | undefined {
  const tick = nextTickObject()
  if (tick !== undefined) kept.push(tick)
  return tick
}

function nextTickObject(): object | undefined {
  let made: object | undefined
  const hook = createHook({
    init: (_id, type, _trigger, resource) => {
      if (type === 'TickObject') made = resource
    },
  })
  hook.enable()
  process.nextTick(() => undefined)
  hook.disable()
  return made
}
