import { availableParallelism } from 'node:os'
import { SystemClock } from '@slotwire/core'
import { KernelTree } from '@slotwire/twin/kernel'
import { expect, it } from 'vitest'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { BuiltInArbiter } from '../power/built-in-arbiter.ts'
import { TYPICAL_SUPPLY } from '../power/typical-supply.testkit.ts'
import { RecordingLog } from '../rack/recording-log.testkit.ts'
import { relayDescriptor } from '../slot/fake-module.testkit.ts'
import { createKernelBackplane } from './kernel-backplane.ts'
import { SystemFiles } from './system-files.ts'

describeWith('socat', 'power descriptors without a process for /sys', (socat) => {
  it('fail instead of granting power without a limit', async () => {
    const clock = new SystemClock()
    const log = new RecordingLog()
    const tree = new KernelTree(socat)
    for (const slot of [3, 5]) {
      const descriptor = { ...relayDescriptor, maxPower12v: 20_000 }
      await tree.plug(slot, { descriptor, answer: async (payload) => payload })
    }
    const files = new SystemFiles({ clock, processors: availableParallelism() })
    const { sysRoot, devRoot } = tree
    const backplane = await createKernelBackplane({ sysRoot, devRoot, clock, log, files })
    const arbiter = new BuiltInArbiter({ backplane, readSupply: async () => TYPICAL_SUPPLY, mode: 'strict', log })
    const asks = () => arbiter.request(3, { power3v3: 0, power5v0: 0, power12v: 20_000 })
    expect(await asks()).toMatchObject({ granted: false })

    let killing = true
    const killed = (async () => {
      while (killing) {
        for (const pid of files.pids) process.kill(pid, 'SIGKILL')
        await clock.sleep(1)
      }
    })()
    // On a busy machine some processes answer before they are killed.
    for (let failures = 0; failures < 5; ) {
      const outcome = await asks().catch((error: unknown) => error)
      expect(outcome).not.toMatchObject({ granted: true })
      if (outcome instanceof Error) {
        expect(outcome).toMatchObject({ code: 'power-figures-not-read' })
        failures++
      }
    }
    killing = false
    await killed
    await expect.poll(() => asks().catch(() => undefined), { timeout: 15_000 }).toMatchObject({ granted: false })

    await backplane.close()
    await files.close()
    await tree.close()
  })
})
