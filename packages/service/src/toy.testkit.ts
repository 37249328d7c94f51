import { acts, boolean, type Contract, choice, integer, objectOf, reads, unsigned, writes } from '@slotwire/contract'
import { type Backplane, type BackplaneState, ManualClock, silentLog } from '@slotwire/core'
import { commandClass, MODULE_CLASS_IDENTIFIER, notificationMasks, u8 } from '@slotwire/sdbp'
import { FakeSlot, fakeDescriptor } from './fake-slot.testkit.ts'
import { moduleService } from './module-service.ts'
import { createService, type Service, type ServiceOptions } from './service.ts'

const toyClass = commandClass({ classIdentifier: MODULE_CLASS_IDENTIFIER, class: 1, statuses: { notToday: 1 } })
export const getLevel = toyClass.command('GET_LEVEL', 2, { response: { level: u8() } })
export const setLevel = toyClass.command('SET_LEVEL', 3, { request: { level: u8() } })
export const feed = toyClass.command('FEED', 4)

const level = objectOf({ level: unsigned() })
const getPart = {
  ...reads,
  path: '/part/{item}',
  parameters: { item: { min: 1, max: 200, description: 'item', example: 1 } },
  caching: 'one-second',
} as const
const getNote = {
  ...reads,
  path: '/note/{item}',
  parameters: { item: { min: 1, max: 6, description: 'item', example: 1 } },
} as const

export const toyContract = {
  service: 'toy',
  serviceName: 'toy-module',
  port: 8009,
  title: 'Toy',
  description: 'A toy.',
  defaultSlots: [3],
  endpoints: {
    getLevel: { ...reads, path: '/level', reply: level, summary: 'Level', spec: 'toy' },
    getCachedLevel: { ...reads, path: '/level/cached', caching: 'one-second', reply: level, summary: 'Level', spec: 'toy' },
    setLevel: {
      ...writes,
      path: '/level',
      body: objectOf({ level: integer({ min: 0, max: 9 }), mode: choice(['a', 'b']) }, { optional: ['mode'] }),
      summary: 'Sets the level',
      spec: 'toy',
    },
    feed: { ...acts, path: '/feed', summary: 'Feeds', spec: 'toy' },
    getPart: { ...getPart, reply: objectOf({ item: unsigned(), level: unsigned() }), summary: 'Part', spec: 'toy' },
    getNote: { ...getNote, reply: objectOf({ rung: boolean() }), effect: 'deliver', summary: 'Notes', spec: 'toy' },
  },
} as const satisfies Contract

export const toyService = moduleService(toyContract, {
  vendorProductId: fakeDescriptor.vendorProductId,
  handlers: {
    getLevel: (exchange) => exchange(getLevel, {}),
    getCachedLevel: (exchange) => exchange(getLevel, {}),
    setLevel: (exchange, { body }) => exchange(setLevel, { level: body.level }),
    feed: (exchange) => exchange(feed, {}),
    getPart: async (exchange, { parameters: { item } }) => ({ item, ...(await exchange(getLevel, {})) }),
    getNote: { kind: 'alerts', masks: notificationMasks('rung'), warns: [] },
  },
})

export interface Toy {
  readonly service: Service
  readonly slot: FakeSlot
  readonly clock: ManualClock
  readonly device: { state: BackplaneState; ready: boolean }
}

export type ToyOptions = Partial<
  Pick<ServiceOptions, 'limits' | 'log' | 'onWrite' | 'extensions' | 'metrics' | 'page' | 'realTime' | 'warnings'>
>

/** The toy service with one scripted module in slot 3. */
export async function createToy(options: ToyOptions = {}): Promise<Toy> {
  const slot = new FakeSlot(3)
  slot.script = { GET_LEVEL: { level: 7 }, SET_LEVEL: {}, FEED: {} }
  const clock = new ManualClock()
  const device: Toy['device'] = { state: 'up', ready: true }
  const backplane: Backplane = {
    kernelDriver: { major: 1, minor: 3, patch: 0 },
    state: 'up',
    present: () => [3],
    descriptor: () => slot.descriptor(),
    powerDescriptors: async () => new Map(),
    open: () => Promise.reject(new Error('the fake backplane cannot be opened')),
    hostDevices: async () => [],
    subscribe: () => () => undefined,
  }
  const service = createService({
    services: [toyService],
    rack: {
      driverSession: 'D'.repeat(64),
      get state() {
        return device.state
      },
      get ready() {
        return device.ready
      },
      usable: (id) => (id === slot.vendorProductId ? [slot] : []),
      inventory: () => [],
      refuseWaiting: () => slot.refuseWaiting(),
      find: (number, id) => (number === slot.slot && id === slot.vendorProductId ? slot : undefined),
    },
    backplane,
    power: { apply: () => Promise.reject(new Error('the toy needs no power')) },
    clock,
    log: silentLog,
    versions: { service: { major: 0, minor: 1, patch: 0 }, moduleDriver: { major: 0, minor: 2, patch: 0 } },
    ...options,
  })
  return { service, slot, clock, device }
}

/** Blocks the next reading of the level: it starts at `reading`, and `finish` sets its reply. */
export function heldReading(slot: FakeSlot): { readonly reading: Promise<void>; readonly finish: (level: object) => void } {
  const { promise: answer, resolve: finish } = deferred<object>()
  const { promise: reading, resolve: begun } = deferred<void>()
  slot.script = {
    GET_LEVEL: () => {
      begun()
      return answer
    },
  }
  return { reading, finish }
}

function deferred<Value>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => undefined
  const promise = new Promise<Value>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
