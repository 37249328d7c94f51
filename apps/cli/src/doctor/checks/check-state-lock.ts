import { statSync } from 'node:fs'
import { join } from 'node:path'
import { processUsing } from '../../state/state-lock.ts'
import { UsageError } from '../../terminal/usage-error.ts'
import { type Check, failure, ok } from '../check.ts'
import { shellWord } from '../host/files.ts'
import { SERVE_ELSEWHERE } from '../slotwire-commands.ts'

export const stateLockCheck: Check = {
  name: 'in use',
  group: 'State',
  isForHardware: false,
  isPerService: true,
  subject: ({ state }) => join(state, 'lock'),
  run: ({ state, user }) => {
    try {
      const pid = processUsing(state)
      return [
        ok(pid === undefined ? 'no Slotwire uses the state folder now' : `a Slotwire runs with the state folder: process ${pid}`),
      ]
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      const file = join(state, 'lock')
      // Whatever else it is was not left by a service: the folder may have been typed for another.
      if (isSomethingElse(file)) return [failure(error.message, `Choose another folder: ${SERVE_ELSEWHERE}.`)]
      const who = user.uid === 0 ? 'root' : `root or as ${user.name}`
      return [failure(error.message, `Run this as ${who}; if no service runs: rm ${shellWord(file)}.`)]
    }
  },
}

/** Whoever may not look there may not say so. */
function isSomethingElse(file: string): boolean {
  try {
    return !statSync(file).isFile()
  } catch {
    return false
  }
}
