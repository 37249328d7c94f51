import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fromIsoTime } from '@slotwire/core'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { device } from '../certificates/certificates.testkit.ts'
import { certificatesFolder } from '../certificates/stored-certificates.ts'
import { type Backup, makeBackup } from './backup.ts'

export const MADE = '2026-11-21T12:00:00.000Z'

const TOKENS = {
  tokens: [{ id: 'abcd1234', name: 'line 3', sha256: 'ab'.repeat(32), readOnly: false, created: '2026-11-01T00:00:00.000Z' }],
}

/** Creates a state folder with these files, by path; removed after the test. */
export function stateWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryFolder()
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content, { mode: 0o600 })
  }
  return folder
}

/** State files of a device without its identity; `name` makes states distinct. */
export function stateOf(name: string): Readonly<Record<string, string>> {
  return {
    'settings.yaml': `vendor: ${name}  # a comment\n`,
    'tokens.json': `${JSON.stringify(TOKENS, undefined, 2)}\n`,
    'token-use.json': `{"abcd1234":"${MADE}"}\n`,
    'discovery.json': `${JSON.stringify({ preferredName: name, hostName: `${name}-2` }, undefined, 2)}\n`,
    'twin/slot-0.json': `{\n  "watchdog": "${name}"\n}\n`,
    'twin/slot-5.json': '{}\n',
  }
}

/** Makes machine id, authority and server certificate in a state folder, as a service does. */
export async function giveIdentity(folder: string, digit: string): Promise<void> {
  writeFileSync(join(folder, 'machine-id'), `${digit.repeat(32)}\n`)
  const { certificates } = await device({ folder: certificatesFolder(folder) })
  await certificates.use(() => ({ hosts: [`press-${digit}`], addresses: [] }))
}

/** All files of a state folder, by path. */
export function filesIn(folder: string, inner = ''): Record<string, string> {
  const names = readdirSync(join(folder, inner)).sort()
  return Object.assign(
    {},
    ...names.map((name) => {
      const path = inner === '' ? name : `${inner}/${name}`
      const isFolder = statSync(join(folder, path)).isDirectory()
      return isFolder ? filesIn(folder, path) : { [path]: readFileSync(join(folder, path), 'latin1') }
    }),
  ) as Record<string, string>
}

/** The virtual module of this test, in any slot, saves no `bad`. */
export const isTwinMemory = (_slot: number, document: object): boolean => !('bad' in document)

/** The backup of a state folder. */
export function backupOf(folder: string, identity = false): Backup {
  return makeBackup({ folder, identity, wallTime: () => fromIsoTime(MADE), isTwinMemory })
}
