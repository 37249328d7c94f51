/** Placeholder of the interface: what an io firmware and a bench need. */
export interface Wiring {
  terminal(name: string): unknown
}
