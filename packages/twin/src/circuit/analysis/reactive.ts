/** A part of a branch: a resistor; with `farad` or `henry` a capacitor or a coil and its series resistance. Its ends are nodes of the branch. */
export interface Part {
  /** The ends of the branch are 0, at the pin, and 1; inner nodes follow. */
  readonly from: number
  readonly to: number
  readonly ohms: number
  readonly farad?: number
  readonly henry?: number
}

/** A passive branch with states: the voltage of each capacitor and the current of each coil, in the order of its parts. */
export interface Reactive {
  /** Voltage of its other end. */
  readonly volts: number
  readonly parts: readonly Part[]
}

/** A part that stores energy. */
export function isStore({ farad, henry }: Part): boolean {
  return farad !== undefined || henry !== undefined
}

/** How many states a branch has. */
export function stateCount({ parts }: Reactive): number {
  return parts.filter(isStore).length
}
