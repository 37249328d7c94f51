import type { Element } from './element.ts'
import { short } from './element.ts'
import type { Terminal } from './terminal.ts'
import { Net, WiredTerminal } from './terminal.ts'

/** Something that was connected; `disconnect` takes it away again, once. */
export interface Connection {
  disconnect(): void
}

/** `slot/pin`; the digits bound how many terminals there can be. */
const TERMINAL_NAME = /^\d{1,3}\/\d{1,3}$/

/**
 * Everything between the modules' pins and the outside. Terminals named `slot/pin` exist as soon as somebody speaks of them, and
 * stay, with what hangs on them, when the module leaves.
 */
export class Wiring {
  readonly #terminals = new Map<string, WiredTerminal>()
  readonly #wires = new Set<readonly [WiredTerminal, WiredTerminal]>()

  /** Throws `RangeError` for a name that is none. */
  terminal(name: string): Terminal {
    return this.#named(name)
  }

  /** Hangs an element between the terminal and ground. */
  connect(name: string, element: Element): Connection {
    const terminal = this.#named(name)
    const entry = { branch: element.branch }
    terminal.elements.add(entry)
    terminal.net.changed()
    return {
      disconnect: () => {
        if (terminal.elements.delete(entry)) terminal.net.changed()
      },
    }
  }

  /** Shorts the terminal to ground. */
  short(name: string): Connection {
    return this.connect(name, short())
  }

  /** Makes two terminals, of any modules, one node. */
  wire(from: string, to: string): Connection {
    const wire = [this.#named(from), this.#named(to)] as const
    if (wire[0] === wire[1]) throw new RangeError(`terminal ${from} cannot be wired to itself`)
    this.#wires.add(wire)
    this.#rejoin(wire)
    return {
      disconnect: () => {
        if (this.#wires.delete(wire)) this.#rejoin(wire)
      },
    }
  }

  #named(name: string): WiredTerminal {
    const known = this.#terminals.get(name)
    if (known !== undefined) return known
    if (!TERMINAL_NAME.test(name)) throw new RangeError(`terminal ${name}: slot/pin, as in 5/1`)
    const terminal = new WiredTerminal(name)
    this.#terminals.set(name, terminal)
    return terminal
  }

  /** Groups the terminals around a wire that came or went anew, then tells them. */
  #rejoin(wire: readonly [WiredTerminal, WiredTerminal]): void {
    const left = new Set(wire.flatMap((terminal) => terminal.net.members))
    const nets: Net[] = []
    for (const terminal of left) {
      const members = this.#reachable(terminal)
      for (const member of members) left.delete(member)
      nets.push(new Net([...members]))
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
