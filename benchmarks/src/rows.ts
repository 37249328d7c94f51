import { startConnections } from './broker.ts'
import type { Row } from './row.ts'
import { alert } from './rows/alert.ts'
import { CACHED, freshRead, memory, speedRow } from './rows/requests.ts'
import { busyBus, idleWrite } from './rows/slow-bus.ts'
import { startUp } from './rows/start-up.ts'
import { crowdRow, deviceAtRest, twinHour } from './rows/twins.ts'
import { startIdleTwins, startServedTwins } from './server.ts'

const cached = { path: CACHED, gate: 0.8, processor: { gate: 1.25, goal: 1.1 } }
const secure = { path: CACHED, gate: 0.75, processor: { gate: 1.4, goal: 1.25 }, isSecure: true }
const notification = { path: '/api/io/1.0/5/notification/2', gate: 0.75 }
const idle = { count: 1000, start: startIdleTwins, kilobytesEach: 150, percent: 2 }
const served = { count: 250, start: startServedTwins, kilobytesEach: 600, percent: 25 }
const connections = { count: 400, start: startConnections, kilobytesEach: 150 }
const withTls = { count: 400, start: (count: number) => startConnections(count, true), kilobytesEach: 250 }

/** All rows, in the order of the report. */
export const rows: readonly Row[] = [
  speedRow({ name: 'cached-read', what: 'cached `GET input/values`, keep-alive, 32 connections, whole service', ...cached }),
  speedRow({ name: 'cached-read-tls', what: 'the same through the network door: TLS, token', ...secure }),
  speedRow({ name: 'notification', what: '`GET notification/<pin>`, in the same way', ...notification }),
  busyBus,
  idleWrite,
  alert,
  startUp,
  memory,
  freshRead,
  deviceAtRest,
  twinHour,
  crowdRow({ name: 'idle-twins', what: '1,000 idle devices without driver in one process', ...idle }),
  crowdRow({ name: 'served-twins', what: '`slotwire serve --twins 250`, no client', ...served }),
  crowdRow({ name: 'broker', what: '400 connections to Mosquitto, each with a will and two subscriptions', ...connections }),
  crowdRow({ name: 'broker-tls', what: 'the same with TLS', ...withTls }),
]
