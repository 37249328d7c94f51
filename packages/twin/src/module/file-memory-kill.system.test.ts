import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { FileMemory } from './memory.ts'
import { startMemoryProgram } from './memory-program.testkit.ts'

const KILLS = 10
const MAX_ACKNOWLEDGEMENTS = 20

/** Saves one number after the other, in documents of different lengths, and prints each number after saving it. */
const writer = (path: string, first: number): string => `
  import { writeSync } from 'node:fs'
  const memory = new FileMemory(${JSON.stringify(path)})
  for (let number = ${first}; ; number++) {
    memory.save({ number, filler: 'x'.repeat((number * 997) % 20_000), end: number })
    writeSync(1, number + '\\n')
  }`

/** Kills the writer after this many acknowledgements; resolves with the last acknowledged number. */
function killAfter(folder: string, source: string, acknowledgements: number): Promise<number> {
  const child = startMemoryProgram(folder, { source })
  let printed = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
    if (printed.split('\n').length > acknowledgements) child.kill('SIGKILL')
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (_, signal) => {
      if (signal !== 'SIGKILL') reject(new Error('the writer ended by itself'))
      else resolve(Number(printed.slice(0, printed.lastIndexOf('\n')).split('\n').at(-1)))
    })
  })
}

describe('a process that is killed while it saves', () => {
  it(`loses no acknowledged document and leaves no partial one, ${KILLS} times`, { timeout: 30_000 }, async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'memory', 'slot-0.json')
    const random = seededRandom(1)
    let first = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const acknowledged = await killAfter(folder, writer(path, first), 1 + Math.floor(random() * MAX_ACKNOWLEDGEMENTS))
      const content = new FileMemory(path).load()
      expect(content.state).toBe('ok')
      const document = content.state === 'ok' ? content.document : {}
      expect([acknowledged, acknowledged + 1]).toContain(document['number'])
      expect(document['end']).toBe(document['number'])
      first = Number(document['number']) + 1
    }
    expect(readdirSync(join(folder, 'memory')).length).toBeLessThanOrEqual(2)
  })
})
