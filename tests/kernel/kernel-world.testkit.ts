import { availableParallelism } from 'node:os'
import { type Backplane, type LinkFailure, nextTurn, SystemClock, silentLog } from '@slotwire/core'
import {
  createKernelBackplane,
  type FileContent,
  KernelFileError,
  type KernelFiles,
  type SlotFile,
  SystemFiles,
} from '@slotwire/driver/kernel'
import type { Chassis } from '@slotwire/twin'
import { KernelSide, KernelTree } from '@slotwire/twin/kernel'
import { findProgram } from '../../tools/setup/system-programs.mjs'
import type { World } from '../device/worlds.testkit.ts'
import { KernelTraffic } from './kernel-traffic.testkit.ts'

/** Errors of the kernel's calls by bus failure; a pseudo-terminal returns none of them. */
const errnoOf: Readonly<Record<LinkFailure, readonly [string, number]>> = {
  'transfer-failed': ['read', 70],
  busy: ['write', 11],
  'too-long': ['write', 90],
  gone: ['read', 19],
}
/** Longest wait for data in transit, in real milliseconds. */
const IN_TRANSIT_MS = 60_000
const SLOT = /slot(\d)(\/notification)?$/

const realTime = new SystemClock()
/** One set of processes for all devices of a test file, because starting them takes longer than most tests. */
const systemFiles = new SystemFiles({ clock: realTime, processors: availableParallelism() })

/** System calls on a tree: tracks data in transit, and adds errors that a pseudo-terminal cannot return. */
class WorldFiles implements KernelFiles {
  constructor(
    private readonly side: KernelSide,
    private readonly traffic: KernelTraffic,
  ) {}

  list(folder: string): Promise<readonly string[]> {
    if (folder.endsWith('/bus/usb/devices')) this.side.showUsb()
    return this.traffic.track(systemFiles.list(folder))
  }

  resolve(file: string): Promise<string> {
    return this.traffic.track(systemFiles.resolve(file))
  }

  read(files: readonly string[]): Promise<readonly FileContent[]> {
    return this.traffic.track(systemFiles.read(files))
  }

  write(file: string, content: string): Promise<void> {
    return this.traffic.track(systemFiles.write(file, content))
  }

  follow(file: string, failedBefore: boolean, onContent: (content: string) => void, signal: AbortSignal): Promise<void> {
    return this.traffic.whileReading(slotOf(file), (onRead) =>
      systemFiles.follow(
        file,
        failedBefore,
        (content) => {
          onContent(content)
          onRead(content)
        },
        signal,
      ),
    )
  }

  replaceReader(): void {
    systemFiles.replaceReader()
  }

  async open(file: string, failedNotifications: string, signal: AbortSignal): Promise<SlotFile> {
    const slot = slotOf(file)
    const opened = await this.traffic.track(systemFiles.open(file, failedNotifications, signal))
    const departures = this.side.departures(slot)
    const closing = async (work: Promise<void>): Promise<void> => {
      // After its module left, nothing observes the closing of a file.
      if (departures === this.side.departures(slot)) this.traffic.closing(slot)
      await this.traffic.track(work)
      if (departures === this.side.departures(slot)) this.side.released(slot)
    }
    return {
      exchange: (payload) => this.#exchange(slot, opened, payload),
      onRestart: (listener) => this.side.onRestart(slot, listener),
      close: () => closing(opened.close()),
      kill: () => closing(opened.kill()),
    }
  }

  /** The processes stay for the next device. */
  close(): Promise<void> {
    return Promise.resolve()
  }

  #exchange(slot: number, file: SlotFile, payload: Uint8Array): Promise<Uint8Array> {
    return this.traffic.exchange(slot, async () => {
      const response = await file.exchange(payload)
      const failure = this.side.takeFailure(slot)
      if (failure === undefined) return response
      const [syscall, errno] = errnoOf[failure.failure]
      throw new KernelFileError(syscall, errno, `slot${slot}`)
    })
  }
}

/** The chassis' modules, accessed through the kernel driver's files; see CONTRIBUTING.md. */
export const kernelWorld: World = {
  name: 'kernel',
  connect: async (chassis, clock) => {
    const socat = findProgram('socat')
    if (socat === undefined) throw new Error('the kernel world needs socat: apt-get install socat')
    const { major, minor, patch } = chassis.kernelDriver
    const tree = new KernelTree(socat, { version: `${major}.${minor}.${patch}\n` })
    const traffic = new KernelTraffic()
    const side = new KernelSide(chassis, tree, traffic)
    const files = new WorldFiles(side, traffic)
    const kernel = await createKernelBackplane({ sysRoot: tree.sysRoot, devRoot: tree.devRoot, clock, log: silentLog, files })
    side.onChange = () => kernel.rescan()
    return {
      backplane: asOnDevice(kernel, chassis, tree.sysRoot),
      settled: () => settled(traffic),
      noticed: () => side.processed,
      close: async () => {
        side.close()
        await side.processed
        await tree.close()
        await kernel.close()
      },
    }
  },
}

/** A real restart ends the driver, too; here the chassis reports it. Paths are those of a device. */
function asOnDevice(kernel: Backplane, chassis: Chassis, sysRoot: string): Backplane {
  return {
    kernelDriver: kernel.kernelDriver,
    get state() {
      return chassis.state
    },
    present: () => kernel.present(),
    descriptor: (slot) => kernel.descriptor(slot),
    powerDescriptors: (lastKnown) => kernel.powerDescriptors(lastKnown),
    open: (slot) => kernel.open(slot),
    hostDevices: async (query) => {
      const devices = await kernel.hostDevices(query)
      return devices.map((device) => ({ ...device, systemPath: device.systemPath.replace(sysRoot, '/sys') }))
    },
    subscribe: (listener) => {
      const unsubscribes = [
        kernel.subscribe(listener),
        chassis.subscribe((event) => {
          if (event.type === 'restarting' || event.type === 'up') listener(event)
        }),
      ]
      return () => unsubscribes.forEach((unsubscribe) => unsubscribe())
    },
  }
}

/** Resolves when nothing has been in transit for two turns; rejects after a time limit. */
async function settled(traffic: KernelTraffic): Promise<void> {
  for (let quiet = 0; quiet < 2; ) {
    if (!traffic.isQuiet) await untilQuiet(traffic)
    await nextTurn()
    quiet = traffic.isQuiet ? quiet + 1 : 0
  }
}

/** Sleeps until nothing is in transit, so that the processes that it waits for get the processors. */
function untilQuiet(traffic: KernelTraffic): Promise<void> {
  return new Promise((resolve, reject) => {
    const expired = realTime.after(IN_TRANSIT_MS, () => reject(new Error(`in transit for too long: ${traffic.text}`)))
    traffic.onceQuiet(() => {
      expired.cancel()
      resolve()
    })
  })
}

function slotOf(file: string): number {
  return Number(SLOT.exec(file)?.[1])
}
