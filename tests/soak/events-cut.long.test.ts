import { expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { cutConnection } from './events-cut.testkit.ts'

describeWith(['namespaces', 'ip'], 'a subscriber whose connection is cut for a minute', () => {
  it('ends up with every record', { timeout: 240_000 }, async () => {
    const { added, sequences, gaps } = await cutConnection(60)
    const [first = 0] = sequences
    const all = Array.from({ length: added - first + 1 }, (_, index) => first + index)
    expect({ sequences, gaps }).toEqual({ sequences: all, gaps: 0 })
  })
})
