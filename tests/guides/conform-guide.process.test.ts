import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { blocksOf } from './examples.testkit.ts'

it('runs the commands of docs/guide/conform.md', async () => {
  const folder = temporaryFolder()
  const serve = ['serve', '--hardware', 'twin', '--json', '--port', '0', '--state', join(folder, 'state'), '--log-level', 'error']
  const service = new SlotwireProcess(serve)
  try {
    const { urls } = JSON.parse(await service.firstLine()) as { urls: readonly string[] }
    const lines = blocksOf('docs/guide/conform.md').flatMap(({ language, text }) =>
      language === 'sh' ? text.trim().split('\n') : [],
    )
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      const words = line.replace('npx slotwire ', '').replace('http://127.0.0.1:8080', String(urls[0])).split(' ')
      const run = new SlotwireProcess(words, { cwd: folder, environment: { XDG_CONFIG_HOME: folder } })
      const { code, output } = await run.ended
      expect([code, /checks: \d+ passed, 0 failed/.test(output)], line).toEqual([0, true])
    }
  } finally {
    await service.remove()
  }
}, 60_000)
