import { expect } from 'vitest'
import type { ModuleUnderTest } from '../../tests/device/device.testkit.ts'

export type PinRail = '5_volt' | '12_volt'

export interface PinValue {
  readonly pin: number
  readonly pin_type: string
  readonly value: number
}

/** A configuration with all six pins equal. */
export function allPins(rail: PinRail, current_milliampere: number) {
  return { config: Array.from({ length: 6 }, () => ({ rail, current_milliampere })) }
}

/** The current reading of a pin: not from the cache. */
export async function pinOf(io: ModuleUnderTest, pin: number, path = 'input/values'): Promise<PinValue> {
  const { pins } = await io.read(path, { 'cache-control': 'no-cache' })
  const found = (pins as PinValue[])[pin - 1]
  if (found === undefined) throw new Error(`no pin ${pin}`)
  return found
}

export const milliampereAt = async (io: ModuleUnderTest, pin: number) => (await pinOf(io, pin, 'input/values/current')).value

/** Names of the flags set in the pin's notification; clears them. */
export async function alertsOf(io: ModuleUnderTest, pin: number): Promise<string[]> {
  const flags = await io.read(`notification/${pin}`)
  expect(Object.keys(flags)).toEqual(['under_voltage_alert', 'high_voltage_alert', 'high_current_alert', 'custom_voltage_alert'])
  return Object.keys(flags).filter((name) => flags[name] === true)
}

/** Expects that the module's present state refuses a request. */
export async function expectRefused(io: ModuleUnderTest, path: string, body: unknown, message: string): Promise<void> {
  const { status, body: answer } = await io.post(path, body)
  expect([status, answer]).toEqual([400, { status: 'error', code: 400, message }])
}
