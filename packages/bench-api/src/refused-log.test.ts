import { expect, it } from 'vitest'
import { RecordingLog } from '../../driver/src/rack/recording-log.testkit.ts'
import { BenchDevice } from './bench-device.testkit.ts'

it.each([
  ['connect', { pin: '3/1', to: { source: {} } }, 'invalid-field'],
  ['short', { pin: '3/7' }, 'invalid-field'],
  ['plug', { slot: 3, module: 'io' }, 'bench-slot-taken'],
  ['unplug', { slot: 7 }, 'bench-slot-empty'],
  ['set', { of: 'c99', ohms: 1 }, 'bench-no-such-connection'],
  ['time/step', { ms: 1 }, 'bench-time-runs'],
  ['scenario/start', { scenario: 'steps: [' }, 'invalid-field'],
  ['scenario/stop', undefined, 'bench-no-scenario-runs'],
])('a bench write to %s with %j is logged with the error %s', async (path, body, refused) => {
  const log = new RecordingLog()
  const device = await BenchDevice.start({ log })
  await device.post(path, body)
  const writes = log.linesOf('info').filter(({ message }) => message === 'write')
  expect(writes.map(({ fields }) => fields)).toMatchObject([{ path: `/slotwire/bench/${path}`, refused }])
})
