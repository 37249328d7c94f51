import { isUtf8 } from 'node:buffer'
import { createReadStream, statSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { visible } from '@slotwire/core'
import { catalog } from '@slotwire/device/twin'
import { formatProblem, parseScenario, type Scenario, ScenarioError, type ScenarioProblem } from '@slotwire/scenario'

/** A scenario is written by hand: a larger file, in bytes, is something else. */
const LARGEST_FILE_BYTES = 1_048_576

/** Why a file is no scenario: mistakes in it, or that it cannot be read. */
export type FileMistake = ScenarioProblem | { readonly file: string; readonly message: string }

/** What came of reading files. */
export interface ReadFiles {
  readonly scenarios: readonly Scenario[]
  /** Of all files, in their order. */
  readonly mistakes: readonly FileMistake[]
}

/** Reads and checks scenarios. */
export async function readScenarios(files: readonly string[]): Promise<ReadFiles> {
  const scenarios: Scenario[] = []
  const mistakes: FileMistake[] = []
  for (const file of files) {
    try {
      scenarios.push(parseScenario(await textOf(file), { file, catalog }))
    } catch (error) {
      if (error instanceof ScenarioError) mistakes.push(...error.problems)
      else mistakes.push({ file, message: `cannot be read: ${error instanceof Error ? error.message : String(error)}` })
    }
  }
  return { scenarios, mistakes }
}

/** As editors and people read it: `sensor.yaml:4:7: …`; without a place where the file as a whole is meant. */
export function formatMistake(mistake: FileMistake): string {
  return 'line' in mistake ? formatProblem(mistake) : `${visible(mistake.file)}: ${visible(mistake.message)}`
}

/** Rejects for what is no text of a bounded length: pipes and devices do not tell how much they have. */
async function textOf(file: string): Promise<string> {
  if (statSync(file).isDirectory()) throw new Error('it is a folder, give the files in it')
  const bytes = await buffer(createReadStream(file, { end: LARGEST_FILE_BYTES }))
  if (bytes.length > LARGEST_FILE_BYTES) throw new Error(`it has more than ${LARGEST_FILE_BYTES} bytes, the most there may be`)
  if (!isUtf8(bytes)) throw new Error('it is no text in UTF-8')
  return new TextDecoder().decode(bytes)
}
