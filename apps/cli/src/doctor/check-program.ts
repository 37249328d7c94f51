// The process that runs the checks. Its parent kills it when a check hangs.
import { SystemClock } from '@slotwire/core'
import { failure } from './check.ts'
import type { CheckRequest } from './check-process.ts'
import { checksFor } from './checks.ts'
import { reasonOf } from './host.ts'
import { findService } from './running-service.ts'

const clock = new SystemClock()

async function answer({ subject, from }: CheckRequest): Promise<void> {
  let { services } = subject
  if (from === 0) {
    services = await Promise.all(services.map((service) => findService(service, clock)))
    process.send?.({ services })
  }
  for (const check of checksFor(subject).slice(Math.max(0, from - 1))) {
    const found = { ...subject, services }
    try {
      process.send?.(await check.run(found, clock))
    } catch (error) {
      const remedy = `Examine it as root: ${check.lookedAt(found)}.`
      process.send?.([failure(`cannot be examined (${reasonOf(error)})`, remedy)])
    }
  }
}

process.on('message', (request: CheckRequest) => void answer(request))
// A thread that hangs in a file would keep the process alive.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
