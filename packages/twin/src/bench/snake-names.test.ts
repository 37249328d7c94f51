import { describe, expect, it } from 'vitest'
import { inSnakeNames, snakeName, withSnakeNames } from './snake-names.ts'

describe('names in JSON and YAML', () => {
  it('use small letters and underscores', () => {
    expect(['lowVolts', 'frequencyHz', 'squareWave', 'ohms'].map(snakeName)).toEqual([
      'low_volts',
      'frequency_hz',
      'square_wave',
      'ohms',
    ])
  })

  it.each([
    ['squareWave needs lowVolts: -1000…1000 V', 'square_wave needs low_volts: -1000…1000 V'],
    ['crcErrors happens, leave forMs out', 'crc_errors happens, leave for_ms out'],
    ['the service is already running: killService() ends it', 'the service is already running: kill_service ends it'],
    // Units and user input are not names of the twin.
    [
      'loadMilliampere is out of range: 0…20000 mA at 3 kHz, not 20001',
      'load_milliampere is out of range: 0…20000 mA at 3 kHz, not 20001',
    ],
    ['there is no module type heatPump: io', 'there is no module type heatPump: io'],
  ])('replaces names in a message: %s', (message, expected) => {
    expect(inSnakeNames(message)).toBe(expected)
  })

  it('replaces names in nested plain data', () => {
    expect(withSnakeNames({ startMs: 1, lampIs: [{ onMs: null }, 'aText'] })).toEqual({
      start_ms: 1,
      lamp_is: [{ on_ms: null }, 'aText'],
    })
  })
})
