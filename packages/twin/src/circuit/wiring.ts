import type { Clock } from '@slotwire/core'
import { checkedSettings } from '../settings/field.ts'
import { type Branch, isReactive } from './branch.ts'
import type { Connection } from './connection.ts'
import type { Element } from './elements/element.ts'
import { short } from './elements/short.ts'
import { type Attachment, Net, type Terminal, WiredTerminal } from './terminal.ts'

/** `slot/pin`; the number of digits limits the number of terminals. */
const TERMINAL_NAME = /^\d{1,3}\/\d{1,3}$/
/** Seed of a twin whose maker gives none. */
const DEFAULT_SEED = 1
/** Limit of connections of one device. */
const MAX_CONNECTIONS = 1000

type Wire = readonly [WiredTerminal, WiredTerminal]

/** All connections of the pins. A terminal `slot/pin` is created on first use, and stays with its connections when the module leaves. */
export class Wiring {
  readonly #clock: Pick<Clock, 'now'>
  readonly #seed: number
  readonly #terminals = new Map<string, WiredTerminal>()
  readonly #wires = new Set<Wire>()
  /** By id, in the order of creation. */
  readonly #connections = new Map<string, Connection>()
  #lastId = 0

  /** Clock for coils, motors and buttons; without it their time is always 0. `seed` is for elements without one. */
  constructor(clock: Pick<Clock, 'now'> = { now: () => 0 }, seed = DEFAULT_SEED) {
    this.#clock = clock
    this.#seed = seed
  }

  /** Throws `RangeError` for an invalid name. */
  terminal(name: string): Terminal {
    return this.#terminal(name)
  }

  /** Connects an element to ground. Throws `RangeError` for an invalid name, and if the limit of connections is reached. */
  connect<Change extends object>(name: string, element: Element<Change>): Connection<Change> {
    this.#checkRoom()
    const terminal = this.#terminal(name)
    const attachment: Attachment = { key: '', branch: undefined }
    const clock = this.#clock
    let present: Element = element
    const use = (next: Element): void => {
      checkWork(terminal.net.members, attachment, next.branch)
      present = next
      attachment.key = keyOf(next, clock.now())
      terminal.attach(attachment, ownBranch(next))
    }
    use(element.withSeed(this.#seedFor(name, keyOf(element, clock.now()))))
    return this.#keep((id) => ({
      id,
      terminals: [name],
      kind: element.kind,
      get description() {
        return present.description
      },
      get settings() {
        return present.settingsAt(clock.now())
      },
      set: (change) => {
        this.connection(id)
        use(present.with(change, clock.now()))
      },
      disconnect: () => {
        if (this.#connections.delete(id)) terminal.attach(attachment, undefined)
      },
    }))
  }

  /** Shorts the terminal to ground. */
  short(name: string): Connection {
    return this.connect(name, short())
  }

  /** Joins two terminals, of any modules, to one node. */
  wire(from: string, to: string): Connection {
    this.#checkRoom()
    const wire = [this.#terminal(from), this.#terminal(to)] as const
    if (wire[0] === wire[1]) throw new RangeError(`terminal ${from} cannot be wired to itself: name two terminals`)
    checkWork(new Set(wire.flatMap((terminal) => terminal.net.members)))
    this.#regroup(wire, () => this.#wires.add(wire))
    return this.#keep((id) => ({
      id,
      terminals: [from, to],
      kind: 'wire',
      description: `wire from ${from} to ${to}`,
      settings: {},
      set: (change) => void checkedSettings('wire', {}, change),
      disconnect: () => {
        if (this.#connections.delete(id)) this.#regroup(wire, () => this.#wires.delete(wire))
      },
    }))
  }

  /** All connections, or those of one terminal, in the order of creation. Throws `RangeError` for an invalid name. */
  connections(name?: string): readonly Connection[] {
    const all = [...this.#connections.values()]
    if (name === undefined) return all
    checkName(name)
    return all.filter(({ terminals }) => terminals.includes(name))
  }

  /** Throws `RangeError` for an unknown or removed connection. */
  connection(id: string): Connection {
    const found = this.#connections.get(id)
    if (found === undefined) throw new RangeError(`connection ${id} does not exist: see the list of connections`)
    return found
  }

  /** Removes all connections, or those of one terminal, wires included. Returns how many there were. */
  disconnectAll(name?: string): number {
    const removed = this.connections(name)
    for (const connection of removed) connection.disconnect()
    return removed.length
  }

  /** A seed for an element on a terminal. It differs from those of equal elements there. */
  #seedFor(name: string, key: string): number {
    const taken = new Set(this.connections(name).map(({ settings }) => settings['seed']))
    let number = 0
    let seed = seedOf(`${this.#seed} ${name} ${key}`)
    while (taken.has(seed)) seed = seedOf(`${this.#seed} ${name} ${key} ${++number}`)
    return seed
  }

  /** Registers a connection, which unregisters itself when it is disconnected. */
  #keep(make: (id: string) => Connection): Connection {
    this.#lastId++
    const connection = make(`c${this.#lastId}`)
    this.#connections.set(connection.id, connection)
    return connection
  }

  #checkRoom(): void {
    if (this.#connections.size < MAX_CONNECTIONS) return
    throw new RangeError(`limit of ${MAX_CONNECTIONS} connections reached: disconnect some first`)
  }

  #terminal(name: string): WiredTerminal {
    const known = this.#terminals.get(name)
    if (known !== undefined) return known
    checkName(name)
    const terminal = new WiredTerminal(name, this.#clock)
    this.#terminals.set(name, terminal)
    return terminal
  }

  /** Groups the terminals around an added or removed wire again, then notifies their listeners. */
  #regroup(wire: Wire, change: () => void): void {
    const left = new Set(wire.flatMap((terminal) => terminal.net.members))
    for (const net of new Set(wire.map((terminal) => terminal.net))) net.saveMemories()
    change()
    const nets: Net[] = []
    for (const terminal of left) {
      const members = this.#reachable(terminal)
      for (const member of members) left.delete(member)
      nets.push(new Net([...members], this.#clock))
    }
    for (const net of nets) net.notifyListeners()
  }

  #reachable(start: WiredTerminal): ReadonlySet<WiredTerminal> {
    // Iterating over a set includes members that are added meanwhile.
    const found = new Set([start])
    for (const terminal of found) {
      for (const [a, b] of this.#wires) {
        if (a === terminal) found.add(b)
        if (b === terminal) found.add(a)
      }
    }
    return found
  }
}

/** Each connection needs its own copy of a reactive branch, with its own state. */
function ownBranch({ branch }: Element): Branch | undefined {
  return branch !== undefined && isReactive(branch) ? { ...branch } : branch
}

function keyOf(element: Element, atMs: number): string {
  return JSON.stringify([element.kind, element.settingsAt(atMs)])
}

/** A seed from a text (FNV-1a). */
function seedOf(text: string): number {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return hash >>> 0
}

function checkName(name: string): void {
  if (!TERMINAL_NAME.test(name)) throw new RangeError(`terminal ${name}: slot/pin, as in 5/1`)
}

/** Limit for the sum of coils (1), motors (2) and motors without inductance (1) on one node: their states are solved together. */
const MAX_MEMORIES = 8
/** Limit for the waves on one node times one more than that sum: each reading follows all of them. */
const MAX_WORK = 64

/** Throws `RangeError` if one node of these terminals would exceed a limit, with `branch` in place of the old one. */
function checkWork(members: Iterable<WiredTerminal>, attachment?: Attachment, branch?: Branch): void {
  const others = [...members].flatMap((member) => [...member.elements]).filter((other) => other !== attachment)
  const branches = [branch, ...others.map((other) => other.branch)]
  const memories = branches.reduce((sum, each) => sum + memoriesOf(each), 0)
  const waves = branches.filter(isWave).length
  if (memories > MAX_MEMORIES)
    throw new RangeError(`coils (1) and motors (2) on one node are ${memories}: at most ${MAX_MEMORIES}; disconnect some first`)
  const most = Math.floor(MAX_WORK / (1 + memories))
  if (waves > most)
    throw new RangeError(
      `waves on one node are ${waves}, with ${memories} coils (1) and motors (2): at most ${most}; disconnect some first`,
    )
}

function memoriesOf(branch: Branch | undefined): number {
  return branch !== undefined && isReactive(branch) ? branch.gains.length : 0
}

function isWave(branch: Branch | undefined): boolean {
  return branch !== undefined && !isReactive(branch) && branch.periodMs > 0
}
