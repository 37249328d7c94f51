import type { Clock } from '@slotwire/core'
import { type Branch, isReactive } from './branch.ts'
import type { Reactive } from './memory/reactive.ts'
import type { Memory } from './node/node-memory.ts'
import { SolvedNode } from './node/solved-node.ts'

/** The outside end of a module's pin. The module drives it; elements and wires connect to it. */
export interface Terminal {
  /** `slot/pin`, as in `5/1`. */
  readonly name: string
  /** The current node. Every change makes a new object, so an old node still answers for the time before. */
  readonly node: SolvedNode
  /** When the node last changed: the same moment for all terminals on it. */
  readonly changedMs: number
  /** Replaces the module's side; undefined for none. */
  drive(branch: Branch | undefined): void
  /** The node as it would be from now on with this branch as the module's side. */
  nodeWith(branch: Branch | undefined): SolvedNode
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
}

/** A set of terminals that are connected by wires. */
export class Net {
  readonly members: readonly WiredTerminal[]
  readonly #clock: Pick<Clock, 'now'>
  node: SolvedNode
  changedMs: number

  constructor(members: readonly WiredTerminal[], clock: Pick<Clock, 'now'>) {
    this.members = members.toSorted((a, b) => ascending(a.name, b.name))
    this.#clock = clock
    for (const member of members) member.net = this
    this.changedMs = clock.now()
    this.node = this.solve((member) => member.driver)
  }

  /** Saves the current state of all reactive branches. Call before every change. */
  saveMemories(): void {
    const nowMs = this.#clock.now()
    for (const attachment of this.members.flatMap((member) => [...member.elements])) {
      if (attachment.branch !== undefined && isReactive(attachment.branch))
        attachment.memory = this.node.stateOf(attachment.branch, nowMs)
    }
  }

  /** Solves the node again and notifies all listeners on it. */
  changed(): void {
    this.changedMs = this.#clock.now()
    this.node = this.solve((member) => member.driver)
    this.notifyListeners()
  }

  notifyListeners(): void {
    for (const member of this.members) member.notifyListeners()
  }

  /** The node from now on with these branches as the modules' sides. */
  solve(driverOf: (member: WiredTerminal) => Branch | undefined): SolvedNode {
    const attachments = this.members.flatMap((member) => [...member.elements]).sort((a, b) => ascending(a.key, b.key))
    const branches = [...this.members.map(driverOf), ...attachments.map(({ branch }) => branch)].filter(
      (branch) => branch !== undefined,
    )
    if (!branches.some(isReactive)) return new SolvedNode(branches)
    const memories = new Map(attachments.map(({ branch, memory }) => [branch, memory]))
    const memory: Memory = { fromMs: this.#clock.now(), of: (port: Reactive) => memories.get(port) }
    return new SolvedNode(branches, memory)
  }
}

function ascending(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** A terminal with its connections. */
export class WiredTerminal implements Terminal {
  readonly name: string
  net: Net
  /** One entry per connection. */
  readonly elements = new Set<Attachment>()
  /** The module's side. */
  driver: Branch | undefined
  readonly #listeners = new Set<() => void>()

  constructor(name: string, clock: Pick<Clock, 'now'>) {
    this.name = name
    this.net = new Net([this], clock)
  }

  get node(): SolvedNode {
    return this.net.node
  }

  get changedMs(): number {
    return this.net.changedMs
  }

  drive(branch: Branch | undefined): void {
    if (this.driver === branch) return
    this.net.saveMemories()
    this.driver = branch
    this.net.changed()
  }

  nodeWith(branch: Branch | undefined): SolvedNode {
    this.net.saveMemories()
    return this.net.solve((member) => (member === this ? branch : member.driver))
  }

  /** Replaces the element of one connection; undefined removes it. */
  attach(attachment: Attachment, branch: Branch | undefined): void {
    this.net.saveMemories()
    attachment.branch = branch
    if (branch === undefined) this.elements.delete(attachment)
    else this.elements.add(attachment)
    this.net.changed()
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
