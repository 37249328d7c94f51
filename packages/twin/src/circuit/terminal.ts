import type { Clock } from '@slotwire/core'
import { Circuit } from './analysis/circuit.ts'
import { CircuitNode } from './analysis/circuit-node.ts'
import { GROUND, type Placed } from './analysis/nodal-matrix.ts'
import { type Branch, isReactive, type Source } from './branch.ts'

/** The outside end of a module's pin. The module drives it; elements and wires connect to it. */
export type Terminal = Pick<
  WiredTerminal,
  'name' | 'node' | 'changedMs' | 'drive' | 'nodeWith' | 'voltsAt' | 'ampsAt' | 'onChange'
>

/** A branch of one connection, between a terminal and ground or another terminal. */
export class Attachment {
  /** One terminal, or two. */
  readonly ends: readonly [WiredTerminal, ...WiredTerminal[]]
  /** Kind and settings. Sums are made in the order of these keys, whatever the order of connecting. */
  key = ''
  branch: Branch | undefined
  /** State of a reactive branch at the last change of the node. */
  state: readonly number[] = []

  constructor(...ends: readonly [WiredTerminal, ...WiredTerminal[]]) {
    this.ends = ends
  }

  get nets(): readonly Net[] {
    return this.ends.map(({ net }) => net)
  }

  /** Replaces its branch; undefined removes it. */
  replace(branch: Branch | undefined): void {
    for (const net of this.nets) net.saveStates()
    this.branch = branch
    for (const { attachments } of this.ends) {
      if (branch === undefined) attachments.delete(this)
      else attachments.add(this)
    }
    Net.changed(this.nets)
  }
}

/** A set of terminals that are connected by wires. */
export class Net {
  readonly members: readonly WiredTerminal[]
  node: CircuitNode = NOT_SOLVED
  changedMs: number

  constructor(
    members: readonly WiredTerminal[],
    readonly clock: Pick<Clock, 'now'>,
  ) {
    this.members = members.toSorted((a, b) => ascending(a.name, b.name))
    for (const member of members) member.net = this
    this.changedMs = clock.now()
  }

  /** The name of its first terminal. */
  get name(): string {
    return this.members[0]?.name ?? ''
  }

  get attachments(): readonly Attachment[] {
    return this.members.flatMap((member) => [...member.attachments])
  }

  /** Saves the current state of all reactive branches, also of linked nets. Call before every change. */
  saveStates(): void {
    const nowMs = this.clock.now()
    for (const net of linkedNets(this)) {
      for (const attachment of net.attachments) {
        const { branch } = attachment
        if (branch !== undefined && isReactive(branch)) attachment.state = net.node.circuit.stateOf(branch, nowMs) ?? []
      }
    }
  }

  /** Solves these nets and all that are linked with them again, then notifies all listeners on them. */
  static changed(nets: Iterable<Net>): void {
    const solved = new Set<Net>()
    for (const net of nets) {
      if (solved.has(net)) continue
      for (const [each, node] of solvedTogether(net, (member) => member.driver)) {
        each.changedMs = net.clock.now()
        each.node = node
        solved.add(each)
      }
    }
    for (const { members } of solved) for (const member of members) member.notifyListeners()
  }
}

/** The module's side of a terminal. */
type DriverOf = (member: WiredTerminal) => Source | undefined

/** The node of a net before it is solved. */
const NOT_SOLVED = new CircuitNode(new Circuit(1, []), 0)

function ascending(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** A terminal with its connections. */
export class WiredTerminal {
  net: Net
  readonly attachments = new Set<Attachment>()
  /** The module's side. */
  driver: Source | undefined
  readonly #listeners = new Set<() => void>()

  constructor(
    /** `slot/pin`, as in `5/1`. */
    readonly name: string,
    clock: Pick<Clock, 'now'>,
  ) {
    this.net = new Net([this], clock)
    Net.changed([this.net])
  }

  /** The current node. Every change makes a new object, so an old node still answers for the time before. */
  get node(): CircuitNode {
    return this.net.node
  }

  /** When the node last changed: the same moment for all terminals on it. */
  get changedMs(): number {
    return this.net.changedMs
  }

  /** Replaces the module's side; undefined for none. */
  drive(source: Source | undefined): void {
    if (this.driver === source) return
    this.net.saveStates()
    this.driver = source
    Net.changed([this.net])
  }

  /** The node as it would be from now on with this source as the module's side. */
  nodeWith(source: Source | undefined): CircuitNode {
    this.net.saveStates()
    return solvedTogether(this.net, (member) => (member === this ? source : member.driver)).get(this.net) ?? this.node
  }

  /** Voltage at a moment at or after the last change. */
  voltsAt(atMs: number): number {
    return this.node.voltsAt(atMs)
  }

  /** Current that the module's side delivers at such a moment, in ampere; negative while it sinks, 0 if it drives nothing. */
  ampsAt(atMs: number): number {
    return this.driver === undefined ? 0 : this.node.ampsFrom(this.driver, atMs)
  }

  /** Calls `listener` after every change of the node, whatever its cause, until the returned function is called. */
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
  for (const net of found) for (const { nets } of net.attachments) for (const each of nets) found.add(each)
  return [...found].sort((a, b) => ascending(a.name, b.name))
}

/** Solves a net and all that are linked with it as one circuit from now on: one node for each of them. */
function solvedTogether(net: Net, driverOf: DriverOf): ReadonlyMap<Net, CircuitNode> {
  const nets = linkedNets(net)
  const numbers = new Map(nets.map((each, index) => [each, index]))
  const placed = ([from, to]: readonly Net[], branch: Branch | undefined): readonly Placed[] =>
    branch === undefined ? [] : [{ branch, from: nodeOf(from), to: nodeOf(to) }]
  const nodeOf = (each: Net | undefined): number => (each === undefined ? GROUND : (numbers.get(each) ?? GROUND))
  // An order that does not depend on the order of connecting.
  const attachments = [...new Set(nets.flatMap((each) => each.attachments))]
    .map((attachment) => ({ attachment, text: textOf(attachment) }))
    .sort((a, b) => ascending(a.text, b.text))
    .map(({ attachment }) => attachment)
  const drivers = nets.flatMap((each) => each.members.flatMap((member) => placed([each], driverOf(member))))
  const states = new Map(attachments.map(({ branch, state }) => [branch, state]))
  const branches = [...drivers, ...attachments.flatMap((attachment) => placed(attachment.nets, attachment.branch))]
  const circuit = new Circuit(nets.length, branches, { fromMs: net.clock.now(), of: (port) => states.get(port) })
  return new Map(nets.map((each, index) => [each, new CircuitNode(circuit, index)]))
}

function textOf({ nets, key, state }: Attachment): string {
  return `${nets.length} ${nets.map(({ name }) => name).join(' ')} ${key} ${JSON.stringify(state)}`
}
