import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { cases } from '../../../../tools/tests/generated-cases.mjs'
import { exposition } from './metric.ts'

const text = fc.string({ unit: 'grapheme' })

describeWith('promtool', 'promtool', (promtool) => {
  it('accepts any text in help and labels', { timeout: 30_000 }, () => {
    const check = fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.array(text, { minLength: 1 }), (help, values) => {
      const samples = values.map((value, row) => ({ labels: { row, value }, value: row }))
      const input = exposition([{ name: 'odd_things', help: `Odd ${help}`, type: 'gauge', samples }])
      const { status, stderr } = spawnSync(promtool, ['check', 'metrics'], { input, encoding: 'utf8' })
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    })
    fc.assert(check, { numRuns: cases(20) })
  })
})
