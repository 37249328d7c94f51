import { expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { cutConnection } from './events-cut.testkit.ts'

describeWith(['namespaces', 'ip'], 'a subscriber whose connection is cut for 6 s', () => {
  it('ends up with every record', { timeout: 120_000 }, async () => {
    const { added, sequences, gaps } = await cutConnection(6)
    const [first = 0] = sequences
    const all = Array.from({ length: added - first + 1 }, (_, index) => first + index)
    expect({ sequences, gaps }).toEqual({ sequences: all, gaps: 0 })
  })
})
