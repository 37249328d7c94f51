import { expect, it } from 'vitest'
import { RecordingLog } from '../../driver/src/rack/recording-log.testkit.ts'
import { BenchDevice } from './bench-device.testkit.ts'

it.each([
  ['pin/3/1/source', {}, 'invalid-field'],
  ['pin/3/7/short', undefined, 'no-such-item'],
  ['pin/8/1/short', undefined, 'no-such-item'],
  ['slot/3/plug', { module: 'io' }, 'bench-slot-taken'],
  ['slot/7/unplug', undefined, 'bench-slot-empty'],
  ['connection/99/set', { ohms: 1 }, 'bench-no-such-connection'],
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
