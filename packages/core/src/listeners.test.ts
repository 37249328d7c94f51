import { describe, expect, it } from 'vitest'
import { Listeners } from './listeners.ts'

describe('listeners', () => {
  it('are called in order until they are removed', () => {
    const received: string[] = []
    const listeners = new Listeners<string>()
    const off = listeners.add((event) => received.push(`a ${event}`))
    listeners.add((event) => received.push(`b ${event}`))
    listeners.emit('1')
    off()
    listeners.emit('2')
    expect(received).toEqual(['a 1', 'b 1', 'b 2'])
  })

  it('may be added twice with the same function, with separate removal', () => {
    let count = 0
    const listeners = new Listeners<void>()
    const listener = () => count++
    const off = listeners.add(listener)
    listeners.add(listener)
    off()
    off()
    listeners.emit()
    expect(count).toBe(1)
  })

  it('are all called even if one throws, and its error is reported', () => {
    const errors: unknown[] = []
    let received = false
    const listeners = new Listeners<void>((error) => errors.push(error))
    listeners.add(() => {
      throw new Error('first')
    })
    listeners.add(() => {
      received = true
    })
    listeners.emit()
    expect(errors).toEqual([new Error('first')])
    expect(received).toBe(true)
  })

  it('pass their errors to the caller of emit by default', () => {
    const listeners = new Listeners<void>()
    listeners.add(() => {
      throw new Error('first')
    })
    expect(() => listeners.emit()).toThrow('first')
  })
})
