import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { blocksOf } from '../tests/guides/examples.testkit.ts'
import { temporaryFolder } from '../tests/temporary-folder.testkit.ts'
import { copyRepository } from './repository-copy.testkit.ts'
import { inRoot } from './setup/root.mjs'

const PAGE = 'docs/add-a-module.md'
const EXAMPLE = 'examples/thermometer'
const LIMIT_MS = 600_000

/** Tests that import one of these can see a new module type. */
const INDEXES = ['contracts', 'services', 'firmwares', 'hosts', 'clients'].map((name) => `modules/${name}.ts`)
/** The console has words for the modules that it knows; the times of the stories depend on the number of heartbeats. */
const OF_KNOWN_MODULES = [
  'apps/console/src/bench/api-document.test.ts',
  'apps/console/src/events/sentence.test.ts',
  'tests/device/fault-stories.http.test.ts',
]

interface Cruised {
  readonly modules: readonly { readonly source: string }[]
  readonly summary: { readonly violations: readonly { readonly from: string; readonly to: string }[] }
}

describe('a new module type with its folder, a line per index and rows in the docs', { timeout: LIMIT_MS }, () => {
  const copy = temporaryFolder()

  beforeAll(() => {
    copyRepository(copy)
    for (const file of OF_KNOWN_MODULES) rmSync(join(copy, file))
    cpSync(inRoot(EXAMPLE), join(copy, 'modules', 'thermometer'), { recursive: true })
    for (const { language, text } of blocksOf(PAGE)) {
      const [, index] = language === 'ts' ? (/^\/\/ (modules\/\w+\.ts)$/m.exec(text) ?? []) : []
      if (index !== undefined) for (const line of text.split('// modules/').slice(1)) appendIndexLine(copy, line)
      if (language === 'markdown') insertRow(copy, text)
    }
  }, LIMIT_MS)

  it('compiles, with its tests', async () => {
    writeFileSync(join(copy, 'modules.json'), JSON.stringify({ extends: './tsconfig.json', include: ['modules'] }))
    expect(await run(copy, 'typescript/bin/tsc', '-p', 'modules.json')).toMatchObject({ code: 0, stdout: '' })
  })

  it('follows the import rules', async () => {
    const config = ['--config', 'tools/guards/dependency-cruiser.cjs', '--output-type', 'json']
    const cruiser = '../tools/guards/node_modules/dependency-cruiser/bin/dependency-cruise.mjs'
    const { modules, summary } = JSON.parse((await run(copy, cruiser, ...config, 'packages', 'modules')).stdout) as Cruised
    expect(modules.filter(({ source }) => source.startsWith('modules/thermometer/')).length).toBeGreaterThan(0)
    expect(summary.violations).toEqual([])
  })

  it('passes every unit test that a module can reach in slot 6 of the default device', async () => {
    const documents = ['--project', 'unit', 'tests/device/openapi', '-u']
    expect(await run(copy, 'vitest/vitest.mjs', 'run', ...documents)).toMatchObject({ code: 0 })
    const { code, stdout } = await run(
      copy,
      'vitest/vitest.mjs',
      'related',
      '--run',
      ...INDEXES,
      '--project',
      'unit',
      '--reporter=verbose',
      '--maxWorkers=2',
      // Other tests run at the same time.
      '--testTimeout=120000',
    )
    expect(stdout).toContain('modules/thermometer/thermometer.http.test.ts')
    const table = ['--project', 'process', 'tests/guides/twin-guide', '-t', 'buttons, outputs and breakable parts']
    expect(await run(copy, 'vitest/vitest.mjs', 'run', ...table)).toMatchObject({ code: 0 })
    expect({ code, failed: stdout.split('\n').filter((line) => /^\s*(×|FAIL)/.test(line)) }).toEqual({ code: 0, failed: [] })
  })
})

/** Appends a line to an index. `part` is its file name and the line: `contracts.ts\nexport …`. */
function appendIndexLine(copy: string, part: string): void {
  const [file = '', line = ''] = part.trim().split('\n')
  appendFileSync(join(copy, 'modules', file), `${line}\n`)
}

/** Adds a row to its table: an error by status, a metric before the general ones, a module type at the end. */
function insertRow(copy: string, row: string): void {
  if (row.startsWith('| `thermometer` |')) {
    const file = join(copy, 'docs/guide/twin-in-code.md')
    const text = readFileSync(file, 'utf8')
    const end = text.indexOf('\n\n', text.indexOf('| module | `press` |'))
    return writeFileSync(file, `${text.slice(0, end)}\n${row}${text.slice(end)}`)
  }
  const status = /^\| `[^`]+` \| (\d{3}) \|/.exec(row)?.[1]
  const file = join(copy, status === undefined ? 'docs/guide/metrics.md' : 'docs/errors.md')
  const lines = readFileSync(file, 'utf8').split('\n')
  const isBehind = (line: string): boolean =>
    status === undefined
      ? line.startsWith('| `slotwire_reading_age_seconds`')
      : Number(/^\| `[^`]+` \| (\d{3}) \|/.exec(line)?.[1]) > Number(status)
  const at = lines.findIndex(isBehind)
  if (at < 0) throw new Error(`no place for ${row}`)
  lines.splice(at, 0, row)
  writeFileSync(file, lines.join('\n'))
}

/** Runs a program of an npm package in the copy. */
function run(copy: string, program: string, ...args: readonly string[]) {
  return runProgram(copy, process.execPath, [join(copy, 'node_modules', program), ...args])
}

async function runProgram(cwd: string, program: string, args: readonly string[]) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV)/.test(name)))
  const child = spawn(program, args, {
    cwd,
    env: { ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout }
}
