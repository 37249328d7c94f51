import { ManualClock, seededRandom } from '@slotwire/core'
import { decodeFrame, MessageType } from '@slotwire/sdbp'
import { expect, it } from 'vitest'
import { Chassis } from '../board/chassis.ts'
import { crcErrors } from '../faults/kinds.ts'
import { VolatileMemory } from '../module/memory.ts'
import { toyDefinition } from '../module/toy-firmware.testkit.ts'
import type { Transfer } from './module-end.ts'

async function recorded(seed: number): Promise<readonly Transfer[]> {
  const transfers: Transfer[] = []
  const clock = new ManualClock()
  const chassis = new Chassis({
    clock,
    random: seededRandom(seed),
    memory: () => new VolatileMemory(),
    bus: 'timed',
    onTransfer: (transfer) => transfers.push(transfer),
  })
  chassis.plug(3, toyDefinition())
  chassis.faults.inject(3, crcErrors({ share: 0.2 }))
  const on = chassis.powerOn()
  await clock.advance(20_000)
  await on
  chassis.powerOff()
  return transfers
}

const line = ({ atMs, slot, host, module }: Transfer): string =>
  `${atMs} ${slot} ${Buffer.from(host).toString('hex')} ${Buffer.from(module).toString('hex')}`

it('A chassis reports both frames of every transfer with its time, the same for the same seed', async () => {
  const transfers = await recorded(1)
  expect(transfers.length).toBeGreaterThan(20)
  expect(transfers.map(line)).toEqual((await recorded(1)).map(line))
  expect(transfers.map(line)).not.toEqual((await recorded(2)).map(line))
})

it('A chassis reports the host’s frame as sent, and the module’s frame as received', async () => {
  const transfers = await recorded(1)
  for (const { host, slot } of transfers) {
    expect(slot).toBe(3)
    expect([MessageType.operation, MessageType.acknowledgement]).toContain(decodeFrame(host).type)
  }
  const spoilt = transfers.filter(({ module }) => !isSound(module))
  expect(spoilt.length).toBeGreaterThan(0)
})

function isSound(frame: Uint8Array): boolean {
  try {
    decodeFrame(frame)
    return true
  } catch {
    return false
  }
}
