import type { Clock } from '@slotwire/core'
import { checkedSettings } from '../settings/field.ts'
import { type Branch, isReactive } from './branch.ts'
import type { Connection } from './connection.ts'
import type { Element } from './elements/element.ts'
import { short } from './elements/short.ts'
import { type Hanging, Net, type Terminal, WiredTerminal } from './terminal.ts'

/** `slot/pin`; the digits bound how many terminals there can be. */
const TERMINAL_NAME = /^\d{1,3}\/\d{1,3}$/
/** Connections of one device. */
const MOST_CONNECTIONS = 1000

type Wire = readonly [WiredTerminal, WiredTerminal]

/**
 * Everything between the modules' pins and the outside. Terminals named `slot/pin` exist as soon as somebody speaks of them, and
 * stay, with what hangs on them, when the module leaves.
 */
export class Wiring {
  readonly #clock: Pick<Clock, 'now'>
  readonly #terminals = new Map<string, WiredTerminal>()
  readonly #wires = new Set<Wire>()
  /** By their ids, in the order in which they came. */
  readonly #connections = new Map<string, Connection>()
  #lastId = 0

  /** Coils, motors and buttons go by this clock; without one, time stands still for them. */
  constructor(clock: Pick<Clock, 'now'> = { now: () => 0 }) {
    this.#clock = clock
  }

  /** Throws `RangeError` for a name that is none. */
  terminal(name: string): Terminal {
    return this.#named(name)
  }

  /** Hangs an element between the terminal and ground. Throws `RangeError` for a name that is none, and where there is no room. */
  connect<Change extends object>(name: string, element: Element<Change>): Connection<Change> {
    this.#checkRoom()
    const terminal = this.#named(name)
    const hanging: Hanging = { branch: undefined }
    const clock = this.#clock
    let present: Element = element
    const put = (next: Element): void => {
      checkMemories(terminal.net.members, hanging, next.branch)
      present = next
      terminal.hang(hanging, ownBranch(next))
    }
    put(element)
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
        put(present.with(change, clock.now()))
      },
      disconnect: () => {
        if (this.#connections.delete(id)) terminal.hang(hanging, undefined)
      },
    }))
  }

  /** Shorts the terminal to ground. */
  short(name: string): Connection {
    return this.connect(name, short())
  }

  /** Makes two terminals, of any modules, one node. */
  wire(from: string, to: string): Connection {
    this.#checkRoom()
    const wire = [this.#named(from), this.#named(to)] as const
    if (wire[0] === wire[1]) throw new RangeError(`terminal ${from} cannot be wired to itself: name two terminals`)
    checkMemories(new Set(wire.flatMap((terminal) => terminal.net.members)))
    this.#rejoin(wire, () => this.#wires.add(wire))
    return this.#keep((id) => ({
      id,
      terminals: [from, to],
      kind: 'wire',
      description: `wire from ${from} to ${to}`,
      settings: {},
      set: (change) => void checkedSettings('wire', {}, change),
      disconnect: () => {
        if (this.#connections.delete(id)) this.#rejoin(wire, () => this.#wires.delete(wire))
      },
    }))
  }

  /** What is connected, in the order in which it was; on one terminal, if one is named. Throws `RangeError` for a name that is none. */
  connections(name?: string): readonly Connection[] {
    const all = [...this.#connections.values()]
    if (name === undefined) return all
    checkName(name)
    return all.filter(({ terminals }) => terminals.includes(name))
  }

  /** Throws `RangeError` for a connection that is not there, or not any more. */
  connection(id: string): Connection {
    const found = this.#connections.get(id)
    if (found === undefined) throw new RangeError(`connection ${id} is not there: see the list of connections`)
    return found
  }

  /** Takes away everything, or what hangs on one terminal, wires included. Returns how many connections that were. */
  disconnectAll(name?: string): number {
    const going = this.connections(name)
    for (const connection of going) connection.disconnect()
    return going.length
  }

  /** Keeps a connection, which takes itself out when it is taken away. */
  #keep(make: (id: string) => Connection): Connection {
    this.#lastId++
    const connection = make(`c${this.#lastId}`)
    this.#connections.set(connection.id, connection)
    return connection
  }

  #checkRoom(): void {
    if (this.#connections.size < MOST_CONNECTIONS) return
    throw new RangeError(`there are ${MOST_CONNECTIONS} connections, the most there can be: take some away first`)
  }

  #named(name: string): WiredTerminal {
    const known = this.#terminals.get(name)
    if (known !== undefined) return known
    checkName(name)
    const terminal = new WiredTerminal(name, this.#clock)
    this.#terminals.set(name, terminal)
    return terminal
  }

  /** Groups the terminals around a wire that comes or goes anew, then tells them. */
  #rejoin(wire: Wire, change: () => void): void {
    const left = new Set(wire.flatMap((terminal) => terminal.net.members))
    for (const net of new Set(wire.map((terminal) => terminal.net))) net.settle()
    change()
    const nets: Net[] = []
    for (const terminal of left) {
      const members = this.#reachable(terminal)
      for (const member of members) left.delete(member)
      nets.push(new Net([...members], this.#clock))
    }
    for (const net of nets) net.announce()
  }

  #reachable(start: WiredTerminal): ReadonlySet<WiredTerminal> {
    // A set that grows while it is walked visits what was added, too.
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

/** What hangs by two connections remembers twice. */
function ownBranch({ branch }: Element): Branch | undefined {
  return branch !== undefined && isReactive(branch) ? { ...branch } : branch
}

function checkName(name: string): void {
  if (!TERMINAL_NAME.test(name)) throw new RangeError(`terminal ${name}: slot/pin, as in 5/1`)
}

/** What coils (1), motors (2) and motors without inductance (1) on one node may add up to: their memories are solved for together. */
const MOST_MEMORIES = 8

/** Throws `RangeError` if these terminals would have too many memories as one node, `hanging` with another branch. */
function checkMemories(members: Iterable<WiredTerminal>, hanging?: Hanging, branch?: Branch): void {
  const others = [...members].flatMap((member) => [...member.elements]).filter((other) => other !== hanging)
  const count = [branch, ...others.map((other) => other.branch)].reduce((sum, each) => sum + memoriesOf(each), 0)
  if (count <= MOST_MEMORIES) return
  throw new RangeError(`coils (1) and motors (2) on one node are ${count}: at most ${MOST_MEMORIES}; take some away first`)
}

function memoriesOf(branch: Branch | undefined): number {
  return branch !== undefined && isReactive(branch) ? branch.gains.length : 0
}
