import { createHook } from 'node:async_hooks'

/** Kept objects, alive as long as this module. */
const kept: object[] = []

/**
 * Keeps one of the objects that Node.js makes for `process.nextTick` alive, and returns it; undefined if Node.js makes none. Without any, a
 * garbage collection makes V8 forget their hidden class, and it then builds each one slowly until the process ends:
 * docs/decisions/0050-keep-one-tick-object.md.
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
