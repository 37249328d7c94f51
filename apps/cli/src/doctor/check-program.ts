// The process in which checks are run: whoever started it kills it when one of them does not come back.
import { SystemClock } from '@slotwire/core'
import type { Finding } from './check.ts'
import { type CheckRequest, READY } from './checks/check-messages.ts'
import { checks } from './checks.ts'
import { reasonOf } from './host/files.ts'

const clock = new SystemClock()

async function run({ check: name, installation }: CheckRequest): Promise<readonly Finding[]> {
  const check = checks.find((one) => one.name === name)
  if (check === undefined) throw new Error(`there is no check ${name}`)
  try {
    return await check.run(installation, clock)
  } catch (error) {
    const remedy = `See what is the matter with it as root: ${check.subject(installation)}.`
    return [{ outcome: 'failure', found: `could not be looked at (${reasonOf(error)})`, remedy }]
  }
}

process.on('message', (request: CheckRequest) => {
  void run(request).then((findings) => process.send?.(findings))
})
// Threads that hang in a file would keep it from ending by itself.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.send?.(READY)
