import type { Branch } from './branch.ts'
import { SolvedNode } from './solved-node.ts'

/** Where a module's pin meets the outside. The module drives it; elements and wires hang on it. */
export interface Terminal {
  /** `slot/pin`, as in `5/1`. */
  readonly name: string
  /** The node as it is now; a new object after every change, so an old one still answers for the time before. */
  readonly node: SolvedNode
  /** The module's own side: from now on this branch, or nothing. */
  drive(branch: Branch | undefined): void
  /** The node as it would be if the module's own side were this branch. */
  nodeWith(branch: Branch | undefined): SolvedNode
  /** Volts at a moment not before the last change. */
  voltsAt(atMs: number): number
  /** Ampere that the module's own side delivers at such a moment; negative while it sinks, 0 while it drives nothing. */
  ampsAt(atMs: number): number
  /** Calls `listener` after everything that changed the node, by whomever, until the returned function is called. */
  onChange(listener: () => void): () => void
}

/** The terminals that wires make one. */
export class Net {
  readonly members: readonly WiredTerminal[]
  node: SolvedNode

  constructor(members: readonly WiredTerminal[]) {
    this.members = members
    for (const member of members) member.net = this
    this.node = this.#solve()
  }

  /** Solves the node anew and tells everybody on it. */
  changed(): void {
    this.node = this.#solve()
    this.announce()
  }

  announce(): void {
    for (const member of this.members) member.announce()
  }

  #solve(): SolvedNode {
    return new SolvedNode(this.members.flatMap((member) => member.branches(member.driver)))
  }
}

/** A terminal as the wiring keeps it. */
export class WiredTerminal implements Terminal {
  readonly name: string
  net: Net
  /** What hangs on it, one entry per connection. */
  readonly elements = new Set<{ readonly branch: Branch | undefined }>()
  /** The module's own side. */
  driver: Branch | undefined
  readonly #listeners = new Set<() => void>()

  constructor(name: string) {
    this.name = name
    this.net = new Net([this])
  }

  get node(): SolvedNode {
    return this.net.node
  }

  drive(branch: Branch | undefined): void {
    if (this.driver === branch) return
    this.driver = branch
    this.net.changed()
  }

  nodeWith(branch: Branch | undefined): SolvedNode {
    return new SolvedNode(this.net.members.flatMap((member) => member.branches(member === this ? branch : member.driver)))
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

  /** Everything that hangs on this terminal while the module's own side is `driver`. */
  branches(driver: Branch | undefined): Branch[] {
    return [driver, ...[...this.elements].map((element) => element.branch)].filter((branch) => branch !== undefined)
  }

  announce(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}
