import { describe, expect, it } from 'vitest'
import { type AnyCommand, decodeRequest, decodeResponse, encodeRefusal, encodeRequest, encodeResponse } from './command.ts'
import { goldenCommands } from './core-commands.golden.testkit.ts'
import * as core from './core-commands.ts'
import {
  getBootloaderState,
  getFirmwareVersion,
  modeRun,
  setFrameSize,
  setSclkSpeed,
  systemReset,
  waitForResponse,
} from './core-commands.ts'
import { ModuleRefusal } from './errors.ts'
import { commandsIn, faultOf, fromHex, toHex } from './hex.testkit.ts'

const everyCommand = commandsIn(core)

function named(name: string): AnyCommand {
  const command = everyCommand.find((candidate) => candidate.name === name)
  if (command === undefined) throw new Error(`no core command ${name}`)
  return command
}

describe.each(goldenCommands)('$command, golden bytes', ({ command, request, reply }) => {
  const subject = named(command)

  it('is encoded by the host and decoded by the module', () => {
    expect(toHex(encodeRequest(subject, request[1]))).toBe(request[0])
    expect(decodeRequest(subject, fromHex(request[0]))).toEqual(request[1])
  })

  it('is answered by the module and decoded by the host', () => {
    expect(toHex(encodeResponse(subject, reply[1]))).toBe(reply[0])
    expect(decodeResponse(subject, fromHex(reply[0]))).toEqual(reply[1])
  })

  it('may have trailing bytes for the host, not for the module', () => {
    expect(decodeResponse(subject, fromHex(`${reply[0]} 7F 7F`))).toEqual(reply[1])
    expect(faultOf(() => decodeRequest(subject, fromHex(`${request[0]} 00`)))).toBe('length')
  })
})

describe('core commands', () => {
  it('all have golden bytes, and unique codes', () => {
    expect(goldenCommands.map(({ command }) => command).sort()).toEqual(everyCommand.map(({ name }) => name).sort())
    expect(new Set(goldenCommands.map(({ request }) => request[0])).size).toBe(everyCommand.length)
  })

  it.each([
    ['A', '01'],
    ['B', '02'],
    ['S', '03'],
  ])('encode firmware stability %s as %s', (stability, code) =>
    expect(decodeResponse(getFirmwareVersion, fromHex(`01 02 04 ${code} 00 01 00 00 00 00`)).stability).toBe(stability),
  )

  it.each([
    ['not supported', '00'],
    ['supported', '01'],
    ['in bootloader mode', '02'],
  ])('encode bootloader state "%s" as %s', (state, code) => {
    expect(decodeResponse(getBootloaderState, fromHex(`01 02 0B ${code}`))).toEqual({ state })
    expect(faultOf(() => decodeResponse(getBootloaderState, fromHex('01 02 0B 03')))).toBe('value')
  })

  it('limit SET_FRAME_SIZE to 64…4096 bytes', () => {
    expect(toHex(encodeRequest(setFrameSize, { bytes: 64 }))).toBe('01 03 07 00 40')
    expect(toHex(encodeRequest(setFrameSize, { bytes: 4096 }))).toBe('01 03 07 10 00')
    expect(faultOf(() => encodeRequest(setFrameSize, { bytes: 63 }))).toBe('value')
    expect(faultOf(() => encodeRequest(setFrameSize, { bytes: 4097 }))).toBe('value')
  })

  it('limit SET_SCLK_SPEED to 100 kHz and more', () => {
    expect(toHex(encodeRequest(setSclkSpeed, { kilohertz: 100 }))).toBe('01 03 08 00 00 00 64')
    expect(faultOf(() => encodeRequest(setSclkSpeed, { kilohertz: 99 }))).toBe('value')
  })

  it('limit WAIT to 1000 µs…65535 ms', () => {
    const microseconds = (hex: string) => decodeResponse(waitForResponse, fromHex(`01 05 02 ${hex}`)).microseconds
    expect(microseconds('00 00 03 E8')).toBe(1000)
    expect(microseconds('03 E7 FC 18')).toBe(65_535_000)
    expect(faultOf(() => microseconds('00 00 03 E7'))).toBe('value')
    expect(faultOf(() => microseconds('03 E7 FC 19'))).toBe('value')
    expect(faultOf(() => microseconds('00 00 03'))).toBe('truncated')
  })

  it('may be repeated after a failed exchange, except SYSTEM_RESET', () =>
    expect(everyCommand.filter(({ repeatable }) => !repeatable)).toEqual([systemReset]))

  it('report a status other than 0 as a refusal', () => {
    expect(toHex(encodeRefusal(modeRun, 1))).toBe('01 03 03 01')
    expect(() => decodeResponse(modeRun, fromHex('01 03 03 01'))).toThrow(ModuleRefusal)
    expect(() => decodeResponse(modeRun, fromHex('01 03 03 63'))).toThrow('MODE_RUN was refused: unknown status (status 99)')
  })
})
