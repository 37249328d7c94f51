import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DecimalSchema, type IntegerSchema, rangeText, type Schema, type TextSchema } from '@slotwire/contract'
import { createTwin } from '@slotwire/device/twin'
import * as firmwares from '@slotwire/modules/firmwares'
import {
  AMBIENT_CELSIUS,
  COMPUTER_WATT,
  elementKinds,
  FAULT_DURATION_MS,
  faultKinds,
  type Kind,
  railFields,
} from '@slotwire/twin'
import { beforeAll, describe, expect, it } from 'vitest'
import { inRoot } from '../../tools/setup/root.mjs'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { blocksOf } from './examples.testkit.ts'

const PAGE = 'docs/guide/twin-in-code.md'
const page = readFileSync(inRoot(PAGE), 'utf8')
const programs = [...blocksOf(PAGE), ...blocksOf('README.md').filter(({ language }) => language === 'ts')]

/** What an application's project has installed to run them. */
const INSTALLED = { slotwire: ['apps', 'cli'], vitest: ['node_modules', 'vitest'] }

/** The part of vitest's report that is read here. */
interface Report {
  readonly numPassedTests: number
  readonly testResults: readonly {
    readonly message: string
    readonly assertionResults: readonly { readonly failureMessages: readonly string[] }[]
  }[]
}

const words = (field: Schema): string => {
  if (field.type === 'boolean') return `true or false, default ${field.default}`
  if (field.type === 'string') return `text, at most ${(field as TextSchema).maxLength} characters, required`
  const { minimum: min, maximum: max, 'x-unit': unit, type, default: value, examples } = field as DecimalSchema | IntegerSchema
  const bounds = `${rangeText({ min, max, unit })}${type === 'integer' ? ', whole' : ''}`
  return `${bounds}, ${value !== undefined ? `default ${value}` : examples === undefined ? 'optional' : 'required'}`
}

const settingsOf = (fields: Kind['fields'], primary?: string): string =>
  Object.entries(fields)
    .map(([name, field]) => {
      const shown = name === primary ? `**\`${name}\`**` : `\`${name}\``
      return `${shown}: ${field.description} (${words(field)})`
    })
    .join('<br>') || 'none'

/** A row of a table of kinds. */
const rowOf = ({ kind, summary, fields, later, primary }: Kind, ...more: string[]): string =>
  `| ${[`\`${kind}\``, summary, ...more, settingsOf({ ...fields, ...later }, primary)].join(' | ')} |`

const tableOf = (head: readonly string[], rows: readonly string[]): string =>
  [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows].join('\n')

const waveforms: readonly Kind[] = [elementKinds.noise, elementKinds.sineWave, elementKinds.squareWave, elementKinds.triangleWave]
/** Settings that all waveforms declare alike: the page has them once. */
const isCommon = (name: string): boolean => new Set(waveforms.map(({ fields }) => JSON.stringify(fields[name]))).size === 1
const fieldsOf = ({ fields }: Kind, filter: (name: string) => boolean): Kind['fields'] =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => filter(name)))

const elementTable = tableOf(
  ['element', 'what it is', 'settings'],
  [
    ...Object.values<Kind>(elementKinds).map((kind) =>
      rowOf(waveforms.includes(kind) ? { ...kind, fields: fieldsOf(kind, (name) => !isCommon(name)) } : kind),
    ),
    `| every waveform | ${waveforms.map(({ kind }) => `\`${kind}\``).join(', ')} | ${settingsOf(fieldsOf(elementKinds.sineWave, isCommon))} |`,
  ],
)
const faultTable = tableOf(
  ['fault', 'what goes wrong', 'lasts', 'settings'],
  Object.values(faultKinds).map((kind) => rowOf(kind, kind.lasts ? 'yes' : 'no')),
)

/** Actions, outputs and breakable parts of each module type, read from a plugged module. */
async function moduleTable(): Promise<string> {
  const twin = await createTwin({ layout: {} })
  const slot = twin.bench.slot(2)
  const list = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ') || 'nothing'
  const rows = Object.keys(firmwares).map((type) => {
    slot.plug(type)
    const row = `| \`${type}\` | ${list(slot.actions)} | ${list(Object.keys(slot.observe()))} | ${list(slot.defects)} |`
    slot.unplug()
    return row
  })
  await twin.close()
  return tableOf(['module', '`press`', '`observe`', '`break`'], rows)
}

describe(PAGE, () => {
  it('has every element with its settings, as it is declared', () => expect(page).toContain(elementTable))

  it('has every fault with its settings, as it is declared', () => expect(page).toContain(faultTable))

  it('has the buttons, outputs and breakable parts of every module type', async () => expect(page).toContain(await moduleTable()))

  it('has the bounds of what surrounds a device', () => {
    const between = ({ minimum, maximum }: DecimalSchema): string => `${minimum}…${maximum}`
    expect(page).toContain(`\`loadMilliampere\` ${between(railFields.load_milliampere)}:`)
    expect(page).toContain(`\`offsetMillivolt\` ${between(railFields.offset_millivolt)}:`)
    expect(page).toContain(`| \`ambientCelsius\` | ${between(AMBIENT_CELSIUS)} |`)
    expect(page).toContain(`| \`computerWatt\` | ${between(COMPUTER_WATT)}:`)
    expect([FAULT_DURATION_MS.minimum, FAULT_DURATION_MS.maximum]).toEqual([1, 7 * 24 * 3_600_000])
  })
})

describe(`the programs of ${PAGE} and README.md`, { timeout: 120_000 }, () => {
  const folder = temporaryFolder()
  beforeAll(() => {
    mkdirSync(join(folder, 'node_modules'))
    for (const [name, path] of Object.entries(INSTALLED)) symlinkSync(inRoot(...path), join(folder, 'node_modules', name))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
    for (const [index, { line, text }] of programs.entries())
      writeFileSync(join(folder, `program-${index}-line-${line}.test.ts`), `${text}\n`)
  })

  const run = (program: string, ...options: string[]) =>
    spawnSync(process.execPath, [inRoot('node_modules', ...program.split('/')), ...options], { cwd: folder, encoding: 'utf8' })

  it('are all there, and whole', () => {
    expect(programs.length).toBeGreaterThan(5)
    for (const { language, text } of programs) {
      expect(language).toBe('ts')
      expect(text).toMatch(/^import \{ .* \} from 'slotwire\/twin'$/m)
      expect(text).toMatch(/^import \{ expect, .* \} from '(vitest|slotwire\/vitest)'$/m)
    }
  })

  it('pass in a run of vitest alone, as a reader would run them', () => {
    const { stdout, status } = run('vitest/vitest.mjs', 'run', '--reporter=json', '--no-isolate', '--no-file-parallelism')
    const { numPassedTests, testResults } = JSON.parse(stdout) as Report
    const failures = testResults.flatMap(({ message, assertionResults }) => [
      message,
      ...assertionResults.flatMap(({ failureMessages }) => failureMessages),
    ])
    expect(failures.join('')).toBe('')
    const tests = programs.flatMap(({ text }) => text.match(/^(it|test)\b/gm) ?? [])
    expect([numPassedTests, status]).toEqual([tests.length, 0])
  })
})
