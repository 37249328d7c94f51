import { join } from 'node:path'
import { linesOf, namesIn } from '../host/files.ts'

/** Where units are, those that come first in the place of others of the same name. */
const UNIT_FOLDERS = ['etc/systemd/system', 'usr/lib/systemd/system', 'lib/systemd/system']
const UNIT = /^slotwire.*\.service$/

/** A unit of systemd that is installed. */
export interface UnitFile {
  /** `slotwire.service` */
  readonly name: string
  readonly path: string
  /** What it says, with what was added to it (`<name>.d`), later lines before earlier ones; lines that go on are joined. */
  readonly lines: readonly string[]
}

/** The units that begin with slotwire; `root` has `/etc` and `/usr`. Never rejects. */
export async function unitFiles(root: string): Promise<readonly UnitFile[]> {
  const paths = new Map<string, string>()
  const folders = UNIT_FOLDERS.map((folder) => join(root, folder))
  for (const folder of folders) {
    for (const name of await namesBelow(folder)) {
      if (UNIT.test(name) && !paths.has(name)) paths.set(name, join(folder, name))
    }
  }
  return Promise.all(
    [...paths].map(async ([name, path]) => {
      const added = await Promise.all(folders.toReversed().map((folder) => additionsOf(join(folder, `${name}.d`))))
      return { name, path, lines: [...(await joinedLines(path)), ...added.flat()] }
    }),
  )
}

/** The lines of a file of systemd's: a backslash at the end of one joins the next; comments are left out. */
export async function joinedLines(path: string): Promise<readonly string[]> {
  const lines = (await linesOf(path)).filter((line) => !/^\s*[#;]/.test(line))
  return lines.join('\n').replaceAll('\\\n', ' ').split('\n')
}

/** Values of a setting of a unit, in order; an empty one forgets those before it. */
export function valuesOf({ lines }: UnitFile, setting: string): readonly string[] {
  const values = lines.flatMap((line) => {
    const [, name, value = ''] = /^\s*(\w+)\s*=(.*)$/s.exec(line) ?? []
    return name === setting ? [value.trim()] : []
  })
  return values.slice(values.lastIndexOf('') + 1)
}

/** Names in a folder, sorted; none where this user may not look. */
export async function namesBelow(folder: string): Promise<readonly string[]> {
  return (await namesIn(folder).catch(() => undefined)) ?? []
}

async function additionsOf(folder: string): Promise<readonly string[]> {
  const names = (await namesBelow(folder)).filter((name) => name.endsWith('.conf'))
  return (await Promise.all(names.map((name) => joinedLines(join(folder, name))))).flat()
}
