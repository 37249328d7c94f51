import { isUtf8 } from 'node:buffer'
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { meant, messageOf, orElse, shown, visible } from '@slotwire/core'
import { catalog, type Rig } from '@slotwire/device/twin'
import { formatProblem, parseRig, parseScenario, type Scenario, ScenarioError, type ScenarioProblem } from '@slotwire/scenario'
import { UsageError } from '../terminal/usage-error.ts'

/** Largest file, in bytes. Scenarios are written by hand and much shorter. */
const MAX_FILE_BYTES = 1_048_576

/** Why a file is unusable: a mistake in it, or a failure to read it. */
export type FileMistake = ScenarioProblem | { readonly file: string; readonly message: string }

/** Scenarios and mistakes in all files. */
export interface ReadFiles {
  readonly scenarios: readonly Scenario[]
  /** Paths of the files that the scenarios name. */
  readonly named: readonly string[]
  /** In the order of the files. */
  readonly mistakes: readonly FileMistake[]
}

/** Which of the scenarios are meant, and their values. */
export interface Selection {
  /** Only those with one of these tags; undefined: all. */
  readonly tag?: readonly string[]
  /** In place of the defaults of their values. */
  readonly set?: ReadonlyMap<string, string>
}

/** Reads and checks scenarios: files, and all below folders. Throws `UsageError` for a tag or a value that none of them has. */
export async function readScenarios(paths: readonly string[], { tag, set = new Map() }: Selection = {}): Promise<ReadFiles> {
  const all: Scenario[] = []
  const mistakes: FileMistake[] = []
  for (const file of filesIn(paths)) {
    try {
      all.push(parseScenario(await textOf(file), { file, catalog, readFile: fileBeside(file), values: set }))
    } catch (error) {
      if (error instanceof ScenarioError) mistakes.push(...error.problems)
      else mistakes.push({ file, message: `cannot be read: ${messageOf(error)}` })
    }
  }
  const scenarios = tag === undefined ? all : all.filter(({ tags }) => tags.some((each) => tag.includes(each)))
  if (mistakes.length === 0) {
    const tags = all.flatMap((scenario) => scenario.tags)
    refuseUnknown('tag', tag ?? [], tags)
    const values = scenarios.flatMap((scenario) => scenario.values)
    refuseUnknown('value', set.keys(), values)
  }
  const named = scenarios.flatMap(({ file, files: own }) => own.map((each) => resolve(dirname(file), each)))
  return { scenarios, named, mistakes }
}

function refuseUnknown(what: string, names: Iterable<string>, known: readonly string[]): void {
  for (const name of names) {
    if (known.includes(name)) continue
    const remedy = known.length === 0 ? `they have no ${what}` : meant(name, [...new Set(known)])
    throw new UsageError(`no scenario of this run has the ${what} ${shown(name)}: ${remedy}`)
  }
}

/** The files, and the scenarios below folders in the order of their paths. An empty folder stays: its mistake is said when it is read. */
export function filesIn(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    if (!orElse(false, () => statSync(path).isDirectory())) return [path]
    const entries = readdirSync(path, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => !entry.isDirectory() && /\.ya?ml$/i.test(entry.name))
    return files.length === 0 ? [path] : files.map((entry) => join(entry.parentPath, entry.name)).sort()
  })
}

/** Reads and checks a rig: the mistakes are lines for editors and people. */
export async function readRig(file: string): Promise<{ readonly rig?: Rig; readonly mistakes: readonly string[] }> {
  try {
    return { rig: parseRig(await textOf(file), { file, catalog, readFile: fileBeside(file) }), mistakes: [] }
  } catch (error) {
    const problems = error instanceof ScenarioError ? error.problems : [{ file, message: `cannot be read: ${messageOf(error)}` }]
    return { mistakes: problems.map(formatMistake) }
  }
}

/** Reads files that a scenario names, in its own folder or below. */
export function fileBeside(scenario: string): (name: string) => string {
  return (name) => {
    const folder = dirname(scenario)
    const file = resolve(folder, name)
    if (relative(folder, file).startsWith('..')) throw new Error('it is outside the folder of the scenario')
    if (statSync(file).size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES} bytes`)
    return readFileSync(file, 'utf8')
  }
}

/** One line for editors and people: `sensor.yaml:4:7: …`; without line and column if it concerns the whole file. */
export function formatMistake(mistake: FileMistake): string {
  return 'line' in mistake ? formatProblem(mistake) : `${visible(mistake.file)}: ${visible(mistake.message)}`
}

/** Rejects for files that are too long or not text. Reads to find the length: pipes and devices do not report it. */
async function textOf(file: string): Promise<string> {
  if (statSync(file).isDirectory()) throw new Error('it is a folder without files *.yaml or *.yml')
  const bytes = await buffer(createReadStream(file, { end: MAX_FILE_BYTES }))
  if (bytes.length > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES} bytes`)
  if (!isUtf8(bytes)) throw new Error('it is not UTF-8 text')
  return new TextDecoder().decode(bytes)
}
