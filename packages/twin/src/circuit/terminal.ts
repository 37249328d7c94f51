import type { Clock } from '@slotwire/core'
import { Circuit } from './analysis/circuit.ts'
import { CircuitNode, singleNode } from './analysis/circuit-node.ts'
import { GROUND, type Placed } from './analysis/nodal-matrix.ts'
import { type Branch, isReactive, type Source } from './branch.ts'

/** The outside end of a module's pin. The module drives it; elements and wires connect to it. */
export interface Terminal {
  /** `slot/pin`, as in `5/1`. */
  readonly name: string
  /** The current node. Every change makes a new object, so an old node still answers for the time before. */
  readonly node: CircuitNode
  /** When the node last changed: the same moment for all terminals on it. */
  readonly changedMs: number
  /** Replaces the module's side; undefined for none. */
  drive(source: Source | undefined): void
  /** The node as it would be from now on with this source as the module's side. */
  nodeWith(source: Source | undefined): CircuitNode
  /** Voltage at a moment at or after the last change. */
  voltsAt(atMs: number): number
  /** Current that the module's side delivers at such a moment, in ampere; negative while it sinks, 0 if it drives nothing. */
  ampsAt(atMs: number): number
  /** Calls `listener` after every change of the node, whatever its cause, until the returned function is called. */
  onChange(listener: () => void): () => void
}

/** The element of one connection at a terminal. */
export interface Attachment {
  /** Kind and settings. Sums are made in the order of these keys, whatever the order of connecting. */
  key: string
  branch: Branch | undefined
  /** State of a reactive branch at the last change of the node. */
  memory?: readonly number[] | undefined
  /** The terminals that it joins, from the first to the second; undefined for an element to ground. */
  ends?: readonly [WiredTerminal, WiredTerminal]
}

/** A set of terminals that are connected by wires. */
export class Net {
  readonly members: readonly WiredTerminal[]
  readonly #clock: Pick<Clock, 'now'>
  node: CircuitNode
  changedMs: number

  constructor(members: readonly WiredTerminal[], clock: Pick<Clock, 'now'>) {
    this.members = members.toSorted((a, b) => ascending(a.name, b.name))
    this.#clock = clock
    for (const member of members) member.net = this
    this.changedMs = clock.now()
    this.node = NOT_SOLVED
  }

  /** Saves the current state of all reactive branches, also of linked nets. Call before every change. */
  saveMemories(): void {
    const nowMs = this.#clock.now()
    for (const net of linkedNets(this)) {
      for (const attachment of [...net.members.flatMap((member) => [...member.elements]), ...bridgesOf(net)]) {
        if (attachment.branch !== undefined && isReactive(attachment.branch))
          attachment.memory = net.node.stateOf(attachment.branch, nowMs)
      }
    }
  }

  /** Solves these nets and all that are linked with them again, then notifies all listeners on them. */
  static changed(nets: Iterable<Net>): void {
    const solved = new Set<Net>()
    for (const net of nets) {
      if (solved.has(net)) continue
      for (const [each, node] of net.#solved((member) => member.driver)) {
        each.changedMs = net.#clock.now()
        each.node = node
        solved.add(each)
      }
    }
    for (const net of solved) net.notifyListeners()
  }

  notifyListeners(): void {
    for (const member of this.members) member.notifyListeners()
  }

  /** The node from now on with these branches as the modules' sides. */
  solve(driverOf: (member: WiredTerminal) => Branch | undefined): CircuitNode {
    return this.#solved(driverOf).get(this) ?? this.node
  }

  /** The nodes of this net and of all that are linked with it. */
  #solved(driverOf: (member: WiredTerminal) => Branch | undefined): ReadonlyMap<Net, CircuitNode> {
    return solvedTogether(linkedNets(this), driverOf, this.#clock.now())
  }
}

/** The node of a net before it is solved. */
const NOT_SOLVED = singleNode([])

function ascending(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** A terminal with its connections. */
export class WiredTerminal implements Terminal {
  readonly name: string
  net: Net
  /** One entry per connection. */
  readonly elements = new Set<Attachment>()
  /** Elements between this terminal and another one. */
  readonly bridges = new Set<Attachment>()
  /** The module's side. */
  driver: Source | undefined
  readonly #listeners = new Set<() => void>()

  constructor(name: string, clock: Pick<Clock, 'now'>) {
    this.name = name
    this.net = new Net([this], clock)
    Net.changed([this.net])
  }

  get node(): CircuitNode {
    return this.net.node
  }

  get changedMs(): number {
    return this.net.changedMs
  }

  drive(source: Source | undefined): void {
    if (this.driver === source) return
    this.net.saveMemories()
    this.driver = source
    Net.changed([this.net])
  }

  nodeWith(source: Source | undefined): CircuitNode {
    this.net.saveMemories()
    return this.net.solve((member) => (member === this ? source : member.driver))
  }

  /** Replaces the element of one connection; undefined removes it. */
  attach(attachment: Attachment, branch: Branch | undefined): void {
    const { ends } = attachment
    const nets = ends === undefined ? [this.net] : ends.map((end) => end.net)
    for (const net of nets) net.saveMemories()
    attachment.branch = branch
    const places = ends === undefined ? [this.elements] : ends.map((end) => end.bridges)
    for (const place of places) {
      if (branch === undefined) place.delete(attachment)
      else place.add(attachment)
    }
    Net.changed(nets)
  }

  voltsAt(atMs: number): number {
    return this.node.voltsAt(atMs)
  }

  ampsAt(atMs: number): number {
    return this.driver === undefined ? 0 : this.node.ampsFrom(this.driver, atMs)
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  notifyListeners(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

/** The nets that elements between two pins join with this one, in the order of their names; itself included. */
export function linkedNets(start: Net): readonly Net[] {
  // Iterating over a set includes members that are added meanwhile.
  const found = new Set([start])
  for (const net of found) {
    for (const { ends } of bridgesOf(net)) for (const end of ends ?? []) found.add(end.net)
  }
  return [...found].sort((a, b) => ascending(nameOf(a), nameOf(b)))
}

/** Solves linked nets as one circuit from a moment on: one node for each of them. */
function solvedTogether(
  nets: readonly Net[],
  driverOf: (member: WiredTerminal) => Branch | undefined,
  fromMs: number,
): ReadonlyMap<Net, CircuitNode> {
  const members = nets.flatMap((net) => net.members)
  const memories = new Map<Branch, readonly number[] | undefined>()
  const placed: Placed[] = []
  const place = (branch: Branch | undefined, from: Net, to?: Net): void => {
    if (branch !== undefined) placed.push({ branch, from: nets.indexOf(from), to: to === undefined ? GROUND : nets.indexOf(to) })
  }
  for (const member of members) place(driverOf(member), member.net)
  const attached = members.flatMap((member) => [...member.elements].map((attachment) => ({ attachment, net: member.net })))
  const order = ({ attachment, net }: (typeof attached)[number]): string =>
    `${nameOf(net)} ${attachment.key} ${JSON.stringify(attachment.memory ?? [])}`
  for (const { attachment, net } of inOrder(attached, order)) {
    if (attachment.branch !== undefined) memories.set(attachment.branch, attachment.memory)
    place(attachment.branch, net)
  }
  const bridges = [...new Set(nets.flatMap(bridgesOf))]
  for (const { branch, ends, memory } of inOrder(bridges, bridgeOrder)) {
    if (branch === undefined || ends === undefined) continue
    memories.set(branch, memory)
    place(branch, ends[0].net, ends[1].net)
  }
  const circuit = new Circuit(nets.length, placed, { fromMs, of: (port) => memories.get(port) })
  return new Map(nets.map((net, index) => [net, new CircuitNode(circuit, index)]))
}

function bridgesOf(net: Net): readonly Attachment[] {
  return net.members.flatMap((member) => [...member.bridges])
}

function bridgeOrder({ ends, key, memory }: Attachment): string {
  return `${ends?.map(({ name }) => name).join(' ')} ${key} ${JSON.stringify(memory ?? [])}`
}

/** Sorts by texts that do not depend on the order of connecting. */
function inOrder<Item>(items: readonly Item[], textOf: (item: Item) => string): Item[] {
  return items
    .map((item) => ({ item, text: textOf(item) }))
    .sort((a, b) => ascending(a.text, b.text))
    .map(({ item }) => item)
}

function nameOf(net: Net): string {
  return net.members[0]?.name ?? ''
}
