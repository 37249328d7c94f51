import { isUtf8 } from 'node:buffer'
import { createReadStream, readFileSync, statSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { messageOf, visible } from '@slotwire/core'
import { catalog, type Rig } from '@slotwire/device/twin'
import { formatProblem, parseRig, parseScenario, type Scenario, ScenarioError, type ScenarioProblem } from '@slotwire/scenario'

/** Largest file, in bytes. Scenarios are written by hand and much shorter. */
const LARGEST_FILE_BYTES = 1_048_576

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

/** Reads and checks scenarios. */
export async function readScenarios(files: readonly string[]): Promise<ReadFiles> {
  const scenarios: Scenario[] = []
  const mistakes: FileMistake[] = []
  for (const file of files) {
    try {
      scenarios.push(parseScenario(await textOf(file), { file, catalog, readFile: fileBeside(file) }))
    } catch (error) {
      if (error instanceof ScenarioError) mistakes.push(...error.problems)
      else mistakes.push({ file, message: `cannot be read: ${messageOf(error)}` })
    }
  }
  const named = scenarios.flatMap(({ file, files: own }) => own.map((each) => resolve(dirname(file), each)))
  return { scenarios, named, mistakes }
}

/** Reads and checks a rig: the mistakes are lines for editors and people. */
export async function readRig(file: string): Promise<{ readonly found?: Rig; readonly mistakes: readonly string[] }> {
  try {
    return { found: parseRig(await textOf(file), { file, catalog, readFile: fileBeside(file) }), mistakes: [] }
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
    if (statSync(file).size > LARGEST_FILE_BYTES) throw new Error(`it is larger than ${LARGEST_FILE_BYTES} bytes`)
    return readFileSync(file, 'utf8')
  }
}

/** One line for editors and people: `sensor.yaml:4:7: …`; without line and column if it concerns the whole file. */
export function formatMistake(mistake: FileMistake): string {
  return 'line' in mistake ? formatProblem(mistake) : `${visible(mistake.file)}: ${visible(mistake.message)}`
}

/** Rejects for files that are too long or not text. Reads to find the length: pipes and devices do not report it. */
async function textOf(file: string): Promise<string> {
  if (statSync(file).isDirectory()) throw new Error('it is a folder: name the files in it')
  const bytes = await buffer(createReadStream(file, { end: LARGEST_FILE_BYTES }))
  if (bytes.length > LARGEST_FILE_BYTES) throw new Error(`it is larger than ${LARGEST_FILE_BYTES} bytes`)
  if (!isUtf8(bytes)) throw new Error('it is not UTF-8 text')
  return new TextDecoder().decode(bytes)
}
