import type { Clock } from '@slotwire/core'
import { checkedChange } from '../settings/kind.ts'
import { PiecewiseLinear } from './analysis/piecewise-linear.ts'
import { stateCount } from './analysis/reactive.ts'
import { type Branch, isReactive } from './branch.ts'
import type { Connection } from './connection.ts'
import type { Between, Element } from './elements/element.ts'
import { short } from './elements/resistors-and-sources.ts'
import { RelayDrive } from './relay-drive.ts'
import { Attachment, linkedNets, Net, WiredTerminal } from './terminal.ts'

/** `slot/pin`; the number of digits limits the number of terminals. */
const TERMINAL_NAME = /^\d{1,3}\/\d{1,3}$/
/** Seed of a twin whose maker gives none. */
const DEFAULT_SEED = 1
/** Limit of connections of one device. */
const MAX_CONNECTIONS = 1000

/** The other pins of an element: its other end, and those of its contact. */
export interface Ends {
  readonly other?: string | undefined
  readonly contact?: readonly [string, string] | undefined
}

type Wire = readonly [WiredTerminal, WiredTerminal]

/** A time that stands still. */
const STANDING: Pick<Clock, 'now' | 'after'> = { now: () => 0, after: () => ({ cancel: () => {} }) }

/** All connections of the pins. A terminal `slot/pin` is created on first use, and stays with its connections when the module leaves. */
export class Wiring {
  readonly #terminals = new Map<string, WiredTerminal>()
  readonly #wires = new Set<Wire>()
  /** By id, in the order of creation. */
  readonly #connections = new Map<string, Connection>()
  #lastId = 0

  /** Clock for everything with states; without it time is always 0. `seed` is for elements without one. */
  constructor(
    private readonly clock: Pick<Clock, 'now' | 'after'> = STANDING,
    private readonly seed = DEFAULT_SEED,
  ) {}

  /** Throws `RangeError` for an invalid name. */
  terminal(name: string): WiredTerminal {
    const known = this.#terminals.get(name)
    if (known !== undefined) return known
    checkName(name)
    const terminal = new WiredTerminal(name, this.clock)
    this.#terminals.set(name, terminal)
    return terminal
  }

  /**
   * Connects an element to ground, or to `other`, another terminal; the contact of a relay between the two terminals of `contact`. Throws
   * `RangeError` for an invalid name, for an element that cannot be so, and if a limit is reached.
   */
  connect<Change extends object>(name: string, element: Element<Change>, { other, contact }: Ends = {}): Connection<Change> {
    this.#checkRoom()
    checkEnds(element, this.clock.now(), { other, contact })
    const attachments = this.#attachmentsOf(name, element, { other, contact })
    const clock = this.clock
    let present: Element = element
    let relay: RelayDrive | undefined
    const use = (next: Element): void => {
      checkEnds(next, clock.now(), { other, contact })
      const key = keyOf(next, clock.now())
      const branches = [ownBranch(next.branch), next.second]
      for (const [index, attachment] of attachments.entries()) checkWork(attachment.nets, attachment, branches[index])
      present = next
      for (const [index, attachment] of attachments.entries()) {
        attachment.key = key
        if (next.contact === undefined || index === 0) attachment.replace(branches[index])
      }
      const [coil, atContact] = attachments
      if (next.contact === undefined || coil === undefined || atContact === undefined) return
      if (relay === undefined) relay = new RelayDrive(clock, [coil, atContact], next.contact)
      else relay.set(next.contact)
    }
    const seeded = element.withSeed(this.#seedFor(name, keyOf(element, clock.now())))
    use(seeded.connectedAt(clock.now()))
    const terminals = [name, ...(other === undefined ? [] : [other]), ...(contact ?? [])]
    return this.#keep((id) => ({
      id,
      terminals,
      kind: element.kind,
      get description() {
        if (contact !== undefined) return `${present.description}, its contact from ${contact[0]} to ${contact[1]}`
        if (other === undefined) return present.description
        return `${present.description.replace(/,? to .*/, '')} from ${name} to ${other}`
      },
      get settings() {
        return present.settingsAt(clock.now())
      },
      set: (change) => {
        this.connection(id)
        use(present.with(change, clock.now()))
      },
      disconnect: () => {
        if (!this.#connections.delete(id)) return
        relay?.end()
        for (const attachment of attachments) attachment.replace(undefined)
      },
    }))
  }

  /** Where the branches of an element are: its first one, and that of its second output or of its contact. */
  #attachmentsOf(name: string, { between }: Element, { other, contact }: Ends): readonly Attachment[] {
    const terminal = this.terminal(name)
    if (contact !== undefined) return [new Attachment(terminal), new Attachment(...this.#endsOf(...contact, 'either'))]
    if (other === undefined) return [new Attachment(terminal)]
    const ends = this.#endsOf(name, other, between)
    return between === 'outputs' ? ends.map((end) => new Attachment(end)) : [new Attachment(...ends)]
  }

  /** Shorts the terminal to ground. */
  short(name: string): Connection {
    return this.connect(name, short())
  }

  /** Joins two terminals, of any modules, to one node. */
  wire(from: string, to: string): Connection {
    this.#checkRoom()
    const wire = [this.terminal(from), this.terminal(to)] as const
    if (wire[0] === wire[1]) throw new RangeError(`terminal ${from} cannot be wired to itself: name two terminals`)
    checkWork(wire.map(({ net }) => net))
    this.#regroup(wire, () => this.#wires.add(wire))
    return this.#keep((id) => ({
      id,
      terminals: [from, to],
      kind: 'wire',
      description: `wire from ${from} to ${to}`,
      settings: {},
      set: (change) => void checkedChange({ fields: {} }, change),
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
    let seed = seedOf(`${this.seed} ${name} ${key}`)
    while (taken.has(seed)) seed = seedOf(`${this.seed} ${name} ${key} ${++number}`)
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

  /** Groups the terminals around an added or removed wire again, then notifies their listeners. */
  #regroup(wire: Wire, change: () => void): void {
    const left = new Set(wire.flatMap((terminal) => terminal.net.members))
    for (const net of new Set(wire.map((terminal) => terminal.net))) net.saveStates()
    change()
    const nets: Net[] = []
    for (const terminal of left) {
      const members = this.#reachable(terminal)
      for (const member of members) left.delete(member)
      nets.push(new Net([...members], this.clock))
    }
    Net.changed(nets)
  }

  /** Both ends of an element between two terminals; in the order of their names if it may be turned. */
  #endsOf(name: string, other: string, between: Between | undefined): readonly [WiredTerminal, WiredTerminal] {
    if (name === other) throw new RangeError(`terminal ${name} is both ends: name another pin`)
    const [first, second] = name < other || between !== 'either' ? [name, other] : [other, name]
    return [this.terminal(first), this.terminal(second)]
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
function ownBranch(branch: Branch | undefined): Branch | undefined {
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

/** What one circuit may have: each of its voltages depends on all of it. A motor has two states. */
const LIMITS: readonly (readonly [what: string, most: number, of: (branch: Branch) => number])[] = [
  ['coils (1), capacitors (1) and motors (2)', 8, (branch) => (isReactive(branch) ? stateCount(branch) : 0)],
  ['diodes and current sources', 8, (branch) => Number(branch instanceof PiecewiseLinear)],
  ['waves', 16, (branch) => Number(!isReactive(branch) && branch.periodMs > 0)],
]
const MAX_NODES = 16
/** Throws `RangeError` for an element that cannot have these ends. */
export function checkEnds(element: Element, atMs: number, { other, contact }: Pick<Ends, 'other' | 'contact'>): void {
  const { kind, between } = element
  if (element.contact === undefined && contact !== undefined) throw new RangeError(`${kind} has no contact: leave out contact`)
  if (element.contact !== undefined && contact === undefined)
    throw new RangeError(`${kind} needs contact: the two pins that it connects`)
  if (between === 'outputs' && other === undefined) throw new RangeError(`${kind} needs other: the pin of its second output`)
  if (other === undefined) return
  if (between === undefined) throw new RangeError(`${kind} cannot be between two pins: leave out other`)
  const { volts = 0 } = element.settingsAt(atMs)
  if (between !== 'source' && volts !== 0) throw new RangeError(`volts is ${volts}, but the other end is a pin: 0 or omitted`)
}

/** Throws `RangeError` if the circuit of these nets would exceed a limit, with `branch` in place of the old one. */
function checkWork(nets: readonly Net[], attachment?: Attachment, branch?: Branch): void {
  const linked = [...new Set(nets.flatMap(linkedNets))]
  if (linked.length > MAX_NODES)
    throw new RangeError(`nodes of one circuit are ${linked.length}: at most ${MAX_NODES}; disconnect some first`)
  const others = [...new Set(linked.flatMap((net) => net.attachments))].filter((other) => other !== attachment)
  const branches = [branch, ...others.map((other) => other.branch)].filter((each) => each !== undefined)
  for (const [what, most, of] of LIMITS) {
    const count = branches.reduce((sum, each) => sum + of(each), 0)
    if (count > most) throw new RangeError(`${what} in one circuit are ${count}: at most ${most}; disconnect some first`)
  }
}
