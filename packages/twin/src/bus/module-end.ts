/** A module's end of its bus, as the host's controller sees it. */
export interface ModuleEnd {
  /** Makes one full-duplex transfer: takes the host's frame, returns the module's frame of the same size. */
  transfer(hostFrame: Uint8Array): Uint8Array
  /** Called at each pulse of the interrupt line. */
  onPulse: () => void
}
