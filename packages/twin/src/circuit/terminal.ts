import type { Clock } from '@slotwire/core'
import type { Branch } from './branch.ts'
import { isReactive } from './branch.ts'
import type { Reactive } from './memory/reactive.ts'
import type { Memory } from './node/node-memory.ts'
import { SolvedNode } from './node/solved-node.ts'

/** Where a module's pin meets the outside. The module drives it; elements and wires hang on it. */
export interface Terminal {
  /** `slot/pin`, as in `5/1`. */
  readonly name: string
  /** The node as it is now; a new object after every change, so an old one still answers for the time before. */
  readonly node: SolvedNode
  /** The module's own side: from now on this branch, or nothing. */
  drive(branch: Branch | undefined): void
  /** The node as it would be from now on if the module's own side were this branch. */
  nodeWith(branch: Branch | undefined): SolvedNode
  /** Volts at a moment not before the last change. */
  voltsAt(atMs: number): number
  /** Ampere that the module's own side delivers at such a moment; negative while it sinks, 0 while it drives nothing. */
  ampsAt(atMs: number): number
  /** Calls `listener` after everything that changed the node, by whomever, until the returned function is called. */
  onChange(listener: () => void): () => void
}

/** What hangs on a terminal by one connection. */
export interface Hanging {
  branch: Branch | undefined
  /** What a reactive branch remembered when the node changed last. */
  memory?: readonly number[] | undefined
}

/** The terminals that wires make one. */
export class Net {
  readonly members: readonly WiredTerminal[]
  readonly #clock: Pick<Clock, 'now'>
  node: SolvedNode

  constructor(members: readonly WiredTerminal[], clock: Pick<Clock, 'now'>) {
    this.members = members
    this.#clock = clock
    for (const member of members) member.net = this
    this.node = this.solve((member) => member.driver)
  }

  /** Lets everything that hangs here remember what the node did to it up to now: before every change. */
  settle(): void {
    const nowMs = this.#clock.now()
    for (const hanging of this.members.flatMap((member) => [...member.elements])) {
      if (hanging.branch !== undefined && isReactive(hanging.branch)) hanging.memory = this.node.stateOf(hanging.branch, nowMs)
    }
  }

  /** Solves the node anew and tells everybody on it. */
  changed(): void {
    this.node = this.solve((member) => member.driver)
    this.announce()
  }

  announce(): void {
    for (const member of this.members) member.announce()
  }

  /** The node from now on if the modules' sides were these. */
  solve(driverOf: (member: WiredTerminal) => Branch | undefined): SolvedNode {
    const hanging = this.members.flatMap((member) => [...member.elements])
    const branches = [...this.members.map(driverOf), ...hanging.map(({ branch }) => branch)].filter(
      (branch) => branch !== undefined,
    )
    if (!branches.some(isReactive)) return new SolvedNode(branches)
    const memories = new Map(hanging.map(({ branch, memory }) => [branch, memory]))
    const memory: Memory = { fromMs: this.#clock.now(), of: (port: Reactive) => memories.get(port) }
    return new SolvedNode(branches, memory)
  }
}

/** A terminal as the wiring keeps it. */
export class WiredTerminal implements Terminal {
  readonly name: string
  net: Net
  /** What hangs on it, one entry per connection. */
  readonly elements = new Set<Hanging>()
  /** The module's own side. */
  driver: Branch | undefined
  readonly #listeners = new Set<() => void>()

  constructor(name: string, clock: Pick<Clock, 'now'>) {
    this.name = name
    this.net = new Net([this], clock)
  }

  get node(): SolvedNode {
    return this.net.node
  }

  drive(branch: Branch | undefined): void {
    if (this.driver === branch) return
    this.net.settle()
    this.driver = branch
    this.net.changed()
  }

  nodeWith(branch: Branch | undefined): SolvedNode {
    this.net.settle()
    return this.net.solve((member) => (member === this ? branch : member.driver))
  }

  /** Changes what hangs here by one connection; undefined: nothing any more. */
  hang(hanging: Hanging, branch: Branch | undefined): void {
    this.net.settle()
    hanging.branch = branch
    if (branch === undefined) this.elements.delete(hanging)
    else this.elements.add(hanging)
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

  announce(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}
