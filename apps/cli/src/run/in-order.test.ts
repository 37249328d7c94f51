import { expect, it } from 'vitest'
import { inOrder } from './in-order.ts'

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
