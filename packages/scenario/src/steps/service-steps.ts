import { duration } from '../read/duration.ts'
import { optional } from '../read/field.ts'
import { defineStep } from './step-kind.ts'

export const killService = defineStep({
  name: 'kill_service',
  summary: 'Kills the service like SIGKILL. With for, starts it again after that time, while the steps continue.',
  fields: { for: optional(duration, 'time until it starts again; default: until start_service') },
  run: async ({ for: away }, run) => {
    await run.settled(run.world.killService(), 'the service to end')
    if (away !== undefined) run.later(away, () => run.world.startService())
  },
})

export const startService = defineStep({
  name: 'start_service',
  summary: 'Starts a killed service again.',
  fields: {},
  run: (_values, run) => run.settled(run.world.startService(), 'the service to start'),
})
