import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../tests/guides/examples.testkit.ts'
import { inRoot } from './setup/root.mjs'

const PAGE = 'docs/add-a-module.md'
/** The code of the page; `add-a-module.system.test.ts` adds it as a module type. */
const EXAMPLE = 'examples/thermometer'

describe(PAGE, () => {
  const text = readFileSync(inRoot(PAGE), 'utf8')
  /** The heading above a block names its file. */
  const blocks = blocksOf(PAGE).flatMap(({ line, text: code }) => {
    const heading = text
      .split('\n')
      .slice(0, line)
      .findLast((each) => each.startsWith('## '))
    const [, file] = /`([\w-]+\.\w+)`/.exec(heading ?? '') ?? []
    return file === undefined ? [] : [{ file, line, code }]
  })

  it.each(blocks)('the code at line $line is part of $file', ({ file, code }) =>
    expect(readFileSync(inRoot(EXAMPLE, file), 'utf8')).toContain(code),
  )

  it.each(['limits.ts', 'wire.ts', 'contract.ts', 'errors.ts', 'service.ts', 'readings.ts', 'firmware.ts'])(
    'shows %s',
    (file) => {
      expect(existsSync(inRoot(EXAMPLE, file))).toBe(true)
      expect(blocks.map((block) => block.file)).toContain(file)
    },
  )
})
