import { setPowerConfig, testPowerConfig } from '@slotwire/modules/io/wire'
import { modeRun, modeSuspend, updateDescriptor } from '@slotwire/sdbp'
import { afterAll, beforeAll, it, vi } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import {
  duringAnOutput,
  duringPowerConfiguration,
  KilledService,
  whileAModuleNeverAnswers,
  whileOutputsAreDriven,
} from './kernel-killed.testkit.ts'

const POWER_COMMANDS = [modeSuspend, updateDescriptor, modeRun, testPowerConfig, setPowerConfig]

// Each test starts several programs, which is slow on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

describeWith('socat', 'a service that is killed with SIGKILL', (socat) => {
  let killed: KilledService
  beforeAll(async () => (killed = await KilledService.switchedOn(socat)))
  afterAll(() => killed.remove())

  it.each([
    ['while outputs are driven', whileOutputsAreDriven],
    ['in the middle of an exchange that drives an output', duringAnOutput],
    ...POWER_COMMANDS.map(
      (command) => [`in the middle of a power configuration, at ${command.name}`, duringPowerConfiguration(command)] as const,
    ),
    ['while a module never answers', whileAModuleNeverAnswers],
  ] as const)('leaves outputs off, no process and no open file, and serves again: killed %s', (_when, moment) =>
    killed.kill(moment),
  )

  it('serves again within two seconds in the fastest start, and always within ten', () => killed.expectServedSoon())
})
