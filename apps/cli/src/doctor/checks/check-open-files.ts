import { type Check, ok, warning } from '../check.ts'
import { linesOf } from '../host/files.ts'

/** Connections, slots, files of the state folder, and what the runtime has open itself. */
const ENOUGH_FILES = 1024

export const openFilesCheck: Check = {
  name: 'open files',
  group: 'Program',
  isForHardware: false,
  subject: ({ roots }) => `${roots.proc}/self/limits`,
  run: async ({ roots }) => {
    const lines = await linesOf(`${roots.proc}/self/limits`)
    const limit = lines.flatMap((line) => /^Max open files\s+(\S+)/.exec(line)?.[1] ?? [])[0]
    if (limit === undefined) return [ok('this system does not tell the limit')]
    if (limit === 'unlimited' || Number(limit) >= ENOUGH_FILES) return [ok(`up to ${limit} at a time`)]
    const remedy = `Raise it: ulimit -n ${ENOUGH_FILES} in the shell that starts the service, or LimitNOFILE= in its unit (systemctl edit slotwire).`
    return [warning(`up to ${limit} at a time, less than ${ENOUGH_FILES}`, remedy)]
  },
}
