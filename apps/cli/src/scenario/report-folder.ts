import { accessSync, constants, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { visible } from '@slotwire/core'
import { drawFailure, formatReport, type ScenarioResult } from '@slotwire/scenario'
import { cannotBeWritten } from '../terminal/files.ts'

const OPTION = '--report'
/** Longest part of a file name that comes from a scenario, in characters: UTF-8 may need four bytes for each, and file systems take 255. */
const MAX_NAME = 48

/** A folder with a report of each scenario as text, and a picture of the pins of each failure. */
export class ReportFolder {
  /** Names of this run, in small letters: some file systems do not distinguish them. */
  readonly #taken = new Set<string>()
  #written: string[] = []

  /** Makes the folder if it is missing. Throws `UsageError` if it cannot be written. */
  constructor(private readonly folder: string) {
    this.#make()
  }

  /** Begins a run: removes what the run before has written here. */
  begin(): void {
    this.#make()
    for (const file of this.#written) rmSync(file, { force: true })
    this.#written = []
    this.#taken.clear()
  }

  /** Writes the report of a scenario; returns the files, the text first. Throws `UsageError` if that fails. */
  add(result: ScenarioResult): readonly string[] {
    const name = this.#freeName(safeName(result.scenario.file), '.txt')
    const pictures = result.failures.flatMap((failure) => {
      const picture = drawFailure(failure)
      if (picture === undefined) return []
      const file = this.#freeName(`${name}-line${failure.line}`, '.svg')
      const place = `${visible(failure.file)}:${failure.line}:${failure.column}`
      return [{ path: this.#write(`${file}.svg`, picture), line: `  ${place}  ${file}.svg` }]
    })
    const list = pictures.length === 0 ? '' : `\npictures\n${pictures.map(({ line }) => line).join('\n')}\n`
    return [this.#write(`${name}.txt`, `${formatReport(result)}\n${list}`), ...pictures.map(({ path }) => path)]
  }

  #make(): void {
    try {
      makeFolder(this.folder)
      accessSync(this.folder, constants.W_OK | constants.X_OK)
    } catch (error) {
      throw cannotBeWritten(this.folder, OPTION, error, 'folder')
    }
  }

  /** The name, with a number if another file of this run has it. */
  #freeName(name: string, suffix: string): string {
    for (let number = 1; ; number++) {
      const free = number === 1 ? name : `${name}-${number}`
      const key = `${free}${suffix}`.toLowerCase()
      if (this.#taken.has(key)) continue
      this.#taken.add(key)
      return free
    }
  }

  #write(name: string, text: string): string {
    const path = join(this.folder, name)
    try {
      writeFileSync(path, text)
    } catch (error) {
      throw cannotBeWritten(path, OPTION, error, 'folder')
    }
    this.#written.push(path)
    return path
  }
}

/** Makes a folder and its parents, if they are missing. Not with `recursive`: below `/proc` Node.js would try without end. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return
  const parent = dirname(folder)
  if (parent !== folder) makeFolder(parent)
  mkdirSync(folder)
}

/** A file name from that of a scenario: letters, digits, - and _, without a dot at its beginning. */
function safeName(file: string): string {
  const name = basename(file.replaceAll('\\', '/')).replace(/\.ya?ml$/i, '')
  const safe = name.normalize('NFC').replaceAll(/[^\p{L}\p{N}_-]+/gu, '_')
  return Array.from(safe).slice(0, MAX_NAME).join('') || 'scenario'
}
