import type { Row } from './row.ts'
import { alert } from './rows/alert.ts'
import { bridgeRow } from './rows/bridge.ts'
import { busyBus } from './rows/busy-bus.ts'
import { consoleFirstValue } from './rows/console.ts'
import { deviceIdle, deviceMemory, freshRead } from './rows/device.ts'
import { eventRow, readsBesideEvents } from './rows/events.ts'
import { idleWrite } from './rows/idle-write.ts'
import { memory } from './rows/memory.ts'
import { speedRow } from './rows/speed.ts'
import { startUp } from './rows/start-up.ts'
import { crowdRow } from './rows/twin-crowd.ts'
import { twinHour } from './rows/twin-hour.ts'
import { startIdleTwins, startServedTwins } from './server-process.ts'

/** All rows, in the order of the report. */
export const rows: readonly Row[] = [
  speedRow({
    name: 'cached-read',
    what: 'cached `GET input/values`, keep-alive, 32 connections, whole service',
    path: '/api/io/1.0/5/input/values',
    atLeast: 0.8,
  }),
  speedRow({
    name: 'cached-read-tls',
    what: 'the same through the network door: TLS, token',
    path: '/api/io/1.0/5/input/values',
    atLeast: 0.75,
    door: 'network',
  }),
  speedRow({
    name: 'notification',
    what: '`GET notification/<pin>`, in the same way',
    path: '/api/io/1.0/5/notification/2',
    atLeast: 0.75,
  }),
  busyBus,
  idleWrite,
  alert,
  eventRow,
  readsBesideEvents,
  startUp,
  consoleFirstValue,
  memory,
  freshRead,
  deviceIdle,
  deviceMemory,
  twinHour,
  crowdRow({
    name: 'idle-twins',
    what: '1,000 idle devices without driver in one process',
    twins: 1000,
    start: startIdleTwins,
    maxKilobytesEach: 150,
    maxPercent: 2,
  }),
  crowdRow({
    name: 'served-twins',
    what: '`slotwire serve --twins 250`, no client',
    twins: 250,
    start: startServedTwins,
    maxKilobytesEach: 600,
    maxPercent: 25,
  }),
  bridgeRow,
]
