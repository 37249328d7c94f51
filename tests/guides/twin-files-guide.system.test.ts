import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { freePort } from '../program/free-port.testkit.ts'
import { SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { blocksOf, patternOf, withoutSpace } from './examples.testkit.ts'

const PAGE = 'docs/guide/twin-files.md'
const START = 'npx slotwire '
const PAGES_PORT = '8080'
const LIMIT_MS = 60_000

const blocks = blocksOf(PAGE)
const driver = blocks.find(({ language }) => language === 'python')?.text ?? ''
const [start, ...examples] = blocks.flatMap(({ language, line, text }, index) =>
  language === 'sh' ? [{ line, commands: text, answer: blocks[index + 1]?.text ?? '' }] : [],
)

describeWith(['socat', 'libudev', 'namespaces', 'curl'], PAGE, () => {
  let folder: string
  let port: string
  let device: SlotwireProcess
  beforeEach(async () => {
    folder = temporaryFolder({ prefix: 'slotwire-' })
    port = String(await freePort())
    const words = start?.commands.slice(START.length).split(' ') ?? []
    device = new SlotwireProcess([...words, '--port', port], { cwd: folder })
    await device.firstLine()
  }, LIMIT_MS)

  it('prints what the page shows', async () => {
    device.child.kill('SIGINT')
    const { code, output } = await device.ended
    expect(code).toBe(0)
    expect(withoutSpace(output.replace(port, PAGES_PORT))).toMatch(patternOf(start?.answer ?? ''))
  })

  it.each(examples)('shows the answer to line $line', { timeout: LIMIT_MS }, ({ commands, answer }) => {
    writeFileSync(join(folder, 'driver.py'), driver)
    const script = `curl() { command curl -sS "$@"; }\n${commands.replaceAll(PAGES_PORT, port)}`
    const { stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, encoding: 'utf8' })
    expect(withoutSpace(stdout + stderr)).toMatch(patternOf(answer))
  })
})
