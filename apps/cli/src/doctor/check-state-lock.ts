import { join } from 'node:path'
import { processUsing } from '../state-lock.ts'
import { UsageError } from '../usage-error.ts'
import { type Check, failure, ok } from './check.ts'
import { shellWord } from './files.ts'

export const stateLockCheck: Check = {
  name: 'in use',
  group: 'State',
  isForHardware: false,
  subject: ({ state }) => join(state, 'lock'),
  run: ({ state, user }) => {
    try {
      const pid = processUsing(state)
      return [
        ok(pid === undefined ? 'no Slotwire uses the state folder now' : `a Slotwire runs with the state folder: process ${pid}`),
      ]
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      const file = shellWord(join(state, 'lock'))
      const who = user.uid === 0 ? 'root' : `root or as ${user.name}`
      return [failure(error.message, `Run this as ${who}; if no service runs: rm ${file}.`)]
    }
  },
}
