import { ManualClock } from '@slotwire/core'
import { describe, expect, it } from 'vitest'
import { ComputeModule } from './compute-module.ts'

const WINDOW_MS = 90_000

function armed(timeoutMs: number, hostConnected = false) {
  const clock = new ManualClock()
  const computer = new ComputeModule()
  computer.usbHostConnected = hostConnected
  computer.armedBootloader = { windowMs: WINDOW_MS, timeoutMs }
  const ends: number[] = []
  const bootloader = computer.enterBootloader(clock, () => ends.push(clock.now()))
  if (bootloader === undefined) throw new Error('the bootloader was not entered')
  return { clock, computer, bootloader, ends }
}

describe('USB bootloader', () => {
  it('is not entered unless it is armed', () => {
    const clock = new ManualClock()
    expect(new ComputeModule().enterBootloader(clock, () => undefined)).toBeUndefined()
    expect(clock.pending).toBe(0)
  })

  it('is armed for one restart only', () => {
    const { computer, clock } = armed(0)
    expect(computer.armedBootloader).toBeUndefined()
    expect(computer.enterBootloader(clock, () => undefined)).toBeUndefined()
    expect(computer.bootloader).toBeUndefined()
  })

  it('ends when no host is connected within 90 seconds', async () => {
    const { clock, bootloader, ends } = armed(5000)
    await clock.advance(WINDOW_MS - 1)
    expect(bootloader.state).toBe('waiting for host')
    await clock.advance(1)
    expect(bootloader.state).toBe('ended')
    expect(ends).toEqual([WINDOW_MS])
  })

  it('lasts for its timeout once a host is connected', async () => {
    const { clock, computer, bootloader, ends } = armed(600_000)
    await clock.advance(WINDOW_MS - 1)
    computer.usbHostConnected = true
    expect(bootloader.state).toBe('host connected')
    await clock.advance(599_999)
    expect(ends).toEqual([])
    await clock.advance(1)
    expect(ends).toEqual([WINDOW_MS - 1 + 600_000])
    expect(clock.pending).toBe(0)
  })

  it('lasts until the host ends it if the timeout is 0', async () => {
    const { clock, computer, ends } = armed(0)
    computer.usbHostConnected = true
    await clock.advance(7 * 24 * 3_600_000)
    expect(ends).toEqual([])
    computer.usbHostConnected = false
    expect(ends).toHaveLength(1)
  })

  it('serves a host that is already connected', () => expect(armed(0, true).bootloader.state).toBe('host connected'))

  it('keeps waiting when an unconnected host is removed', () => {
    const { computer, bootloader, ends } = armed(0)
    computer.usbHostConnected = false
    expect(bootloader.state).toBe('waiting for host')
    expect(ends).toEqual([])
  })

  it('ends once, also when a host connects after the end', async () => {
    const { clock, computer, bootloader, ends } = armed(10)
    await clock.advance(WINDOW_MS)
    computer.usbHostConnected = true
    computer.usbHostConnected = false
    await clock.advance(WINDOW_MS)
    expect(bootloader.state).toBe('ended')
    expect(ends).toEqual([WINDOW_MS])
  })

  it('ends without calling onEnd when the supply is lost', async () => {
    const { clock, bootloader, ends } = armed(10)
    bootloader.cancel()
    expect(clock.pending).toBe(0)
    await clock.advance(WINDOW_MS)
    expect(ends).toEqual([])
  })
})

it('the computer reports changes of load and ambient temperature until the listener unsubscribes', () => {
  const computer = new ComputeModule()
  let changes = 0
  const stop = computer.onChange(() => changes++)
  computer.loadWatt = 5
  computer.ambientCelsius = 40
  expect([computer.loadWatt, computer.ambientCelsius, changes]).toEqual([5, 40, 2])
  stop()
  computer.loadWatt = 6
  expect(changes).toBe(2)
})
