import { join } from 'node:path'
import { CommanderError } from 'commander'
import { refuseUnfit } from '../../serve/hardware.ts'
import { type ServeOptions, serveCommand } from '../../serve/serve-options.ts'
import { UsageError } from '../../terminal/usage-error.ts'
import { isThere } from '../host/files.ts'
import { joinedLines, namesBelow, type UnitFile, unitFiles, valuesOf } from './unit-files.ts'

/** What serves where nobody has chosen: all modules. */
export const USUAL_UNIT = 'slotwire.service'
/** A word of a command line, in which quotes may stand. */
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g
const VARIABLE = /^\$\{?(\w+)\}?$/

/** A unit that serves, as far as the doctor tells of it. */
export interface ServingUnit {
  readonly name: string
  /** What `slotwire serve` is told by it. */
  readonly options: string
  /** Where the administrator adds options. */
  readonly place: string
  /** What is wrong with these options; undefined: nothing. */
  readonly problem: string | undefined
}

/** A unit, and what it serves; without what the administrator has added where that is refused, and by default where all is. */
export interface UnitThatServes {
  readonly unit: ServingUnit
  readonly options: ServeOptions
}

/**
 * The installed units that run or start with the system; where none does, the one for all modules. `root` has `/etc` and `/usr`.
 */
export async function unitsThatServe(
  { root, run }: { readonly root: string; readonly run: string },
  known: readonly string[],
): Promise<readonly UnitThatServes[]> {
  const units = (await unitFiles(root)).filter((unit) => commandOf(unit).length > 0)
  const isChosen = await Promise.all(units.map(({ name }) => isEnabledOrRuns(name, root, run)))
  const chosen = isChosen.includes(true)
    ? units.filter((_unit, index) => isChosen[index])
    : units.filter(({ name }) => name === USUAL_UNIT)
  return Promise.all(chosen.map((unit) => read(unit, root, known)))
}

/** The words behind `serve`, variables unresolved; none: this unit does something else. */
function commandOf(unit: UnitFile): readonly string[] {
  const words = wordsOf(valuesOf(unit, 'ExecStart').at(-1) ?? '')
  return words[1] === 'serve' ? words.slice(1) : []
}

async function isEnabledOrRuns(name: string, root: string, run: string): Promise<boolean> {
  // systemd keeps it while the unit is not inactive.
  if (await isThere(`${run}/systemd/units/invocation:${name}`)) return true
  const folder = join(root, 'etc/systemd/system')
  const wants = (await namesBelow(folder)).filter((one) => one.endsWith('.wants'))
  return (await Promise.all(wants.map((one) => isThere(join(folder, one, name))))).includes(true)
}

async function read(unit: UnitFile, root: string, known: readonly string[]): Promise<UnitThatServes> {
  const [, ...words] = commandOf(unit)
  const files = valuesOf(unit, 'EnvironmentFile').map((file) => file.replace(/^-/, ''))
  const environment = await environmentIn(files.map((file) => join(root, file)))
  const all = words.flatMap((word) => {
    const [, variable] = VARIABLE.exec(word) ?? []
    return variable === undefined ? [word] : wordsOf(environment.get(variable) ?? '')
  })
  const variable = VARIABLE.exec(words.at(-1) ?? '')?.[1]
  const place =
    variable === undefined ? `ExecStart= (systemctl edit ${unit.name})` : `${variable} in ${files.at(-1) ?? 'its environment'}`
  const said = { name: unit.name, options: all.join(' '), place }
  try {
    const options = await parsed(all, known)
    return { unit: { ...said, problem: problemOf(options) }, options }
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const own = words.filter((word) => !VARIABLE.test(word))
    const options = await parsed(own, known).catch(() => parsed([], known))
    return { unit: { ...said, problem: refused(error.message.replace(/^error: /, '').replaceAll('\n', ' ')) }, options }
  }
}

/** What the parser takes and `serve` refuses, or what is not meant on a device. */
function problemOf(options: ServeOptions): string | undefined {
  if (options.hardware === 'twin') return 'serves a virtual device, and not the modules here, by its options'
  try {
    refuseUnfit('kernel', options)
    return undefined
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return refused(error.message)
  }
}

function refused(reason: string): string {
  return `cannot start with its options (${reason})`
}

async function environmentIn(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const lines = (await Promise.all(files.map(joinedLines))).flat()
  return new Map(
    lines.flatMap((line) => {
      const [, name, value = ''] = /^\s*(\w+)\s*=(.*)$/s.exec(line) ?? []
      return name === undefined ? [] : [[name, withoutQuotes(value.trim())] as const]
    }),
  )
}

function wordsOf(text: string): readonly string[] {
  return (text.match(WORD) ?? []).map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))
}

function withoutQuotes(value: string): string {
  return /^(["'])(.*)\1$/.exec(value)?.[2] ?? value
}

/** What `slotwire serve` makes of these words. Rejects with `CommanderError`. */
async function parsed(words: readonly string[], known: readonly string[]): Promise<ServeOptions> {
  let options: ServeOptions | undefined
  const command = serveCommand(known, (given) => {
    options = given
    return Promise.resolve()
  })
  await command
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .parseAsync([...words], { from: 'user' })
  if (options === undefined) throw new Error('the options of a unit were not read')
  return options
}
