import { expect, it } from 'vitest'
import { asUsageError } from './usage-error.ts'

const failed = (code: string): Error => Object.assign(new Error(`${code}: open '/state/tokens.json'`), { code })

it.each([
  ['EACCES', 'run this as the user of the service, or name its state folder with --state <dir>'],
  ['EROFS', 'its disk is read-only: make it writable, or name another state folder with --state <dir>'],
  ['ENOSPC', 'free some space there, or name another state folder with --state <dir>'],
  ['EISDIR', 'a folder has the place of this file: move the folder away'],
])('a file of the state folder that cannot be used after %s is refused with its own remedy', (code, remedy) =>
  expect(asUsageError(failed(code))).toMatchObject({ message: `${code}: open '/state/tokens.json': ${remedy}` }),
)
