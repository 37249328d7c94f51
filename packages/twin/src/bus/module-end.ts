/** A module's end of its bus, as the host's controller sees it. */
export interface ModuleEnd {
  /** One full-duplex transfer: takes the host's frame, gives the module's, of the same size. */
  transfer(hostFrame: Uint8Array): Uint8Array
  /** Called at each pulse of the interrupt line. */
  onPulse: () => void
}
