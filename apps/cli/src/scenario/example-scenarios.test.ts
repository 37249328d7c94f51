import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { inRoot } from '../../../../tools/setup/root.mjs'
import { runInProcess } from '../command.testkit.ts'

const FOLDER = 'examples/scenarios'

const files = readdirSync(inRoot(FOLDER)).map((name) => inRoot(FOLDER, name))

describe(FOLDER, () => {
  const folder = temporaryFolder()

  it('examples/scenarios contains only scenarios', () => {
    expect(files).not.toEqual([])
    expect(files.every((file) => file.endsWith('.yaml'))).toBe(true)
  })

  it.each(files)('%s passes, with the same bytes on the buses each time', async (file) => {
    const recordings: string[] = []
    for (const name of ['one', 'other']) {
      const recording = join(folder, name)
      expect(await runInProcess('scenario', 'run', file, '--record', recording)).toMatchObject({ code: 0, errors: '' })
      recordings.push(readFileSync(recording, 'utf8'))
    }
    const [one, other] = recordings
    expect(one === other).toBe(true)
    expect(one?.split('\n').length).toBeGreaterThan(100)
  })

  it('a changed step fails with a readable message', async () => {
    const changed = join(folder, 'short-circuit.yaml')
    const text = readFileSync(inRoot(FOLDER, 'short-circuit.yaml'), 'utf8')
    const step = 'notification: 3/2, high_current_alert: true'
    writeFileSync(changed, text.replace(step, 'notification: 3/2, high_voltage_alert: true'))
    const line = text.split('\n').findIndex((each) => each.includes(step)) + 1
    const { code, output } = await runInProcess('scenario', 'run', changed)
    expect(code).toBe(1)
    expect(output).toMatch(/^FAILED {2}a shorted output /)
    expect(output).toContain(`${changed}:${line}:`)
    expect(output).toContain('expect: { notification: 3/2, high_voltage_alert: true }')
    expect(output).toMatch(/\n {4}expected {2}.*high_voltage_alert/)
    expect(output).toMatch(/\n {4}saw {7}.*high_current_alert/)
    expect(output).toMatch(/\n {4}pin 3\/2, in volts\n/)
  })
})
