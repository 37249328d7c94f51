import type { Source } from '../branch.ts'

/** A coil in physical terms: L × di/dt = volts across it − R × i; `acrossOhms` is in parallel. */
export interface PhysicalCoil {
  readonly kind: 'coil'
  readonly windingOhms: number
  readonly henry: number
  readonly acrossOhms: number
}

/** A motor: a winding in series with its rotor, whose back-EMF e follows C × de/dt = i − e / friction. */
export interface PhysicalMotor {
  readonly kind: 'motor'
  readonly windingOhms: number
  readonly henry: number
  readonly acrossOhms: number
  readonly frictionOhms: number
  readonly farad: number
}

export type Physical = PhysicalCoil | PhysicalMotor

interface State {
  readonly amps: number
  readonly emf: number
}

const REST: State = { amps: 0, emf: 0 }

function combined(states: readonly State[], by: readonly State[], factor: number): State[] {
  return states.map(({ amps, emf }, index) => {
    const other = by[index] ?? REST
    return { amps: amps + factor * other.amps, emf: emf + factor * other.emf }
  })
}

/**
 * Voltages of a node with sources, coils and motors at some ascending moments (whole numbers of steps), by Runge-Kutta integration. Slow,
 * simple, and independent of the code under test.
 */
export function steppedVolts(
  sources: readonly Source[],
  loads: readonly Physical[],
  moments: readonly number[],
  stepMs: number,
): number[] {
  const voltsAt = (atMs: number, states: readonly State[]): number => {
    const equivalents = [
      ...sources.map((source) => source.theveninAt(atMs)),
      ...loads.map((load) => ({ volts: 0, ohms: load.acrossOhms })),
    ]
    const amps =
      equivalents.reduce((sum, equivalent) => sum + equivalent.volts / equivalent.ohms, 0) -
      states.reduce((sum, state) => sum + state.amps, 0)
    return amps / equivalents.reduce((sum, equivalent) => sum + 1 / equivalent.ohms, 0)
  }
  const slopes = (atMs: number, states: readonly State[]): State[] => {
    const volts = voltsAt(atMs, states)
    return loads.map((load, index) => {
      const { amps, emf } = states[index] ?? REST
      const ampsPerSecond = (volts - load.windingOhms * amps - emf) / load.henry
      const emfPerSecond = load.kind === 'motor' ? (amps - emf / load.frictionOhms) / load.farad : 0
      return { amps: ampsPerSecond / 1000, emf: emfPerSecond / 1000 }
    })
  }
  let states = loads.map(() => REST)
  let step = 0
  return moments.map((momentMs) => {
    for (; step < Math.round(momentMs / stepMs); step++) {
      // Sources jump at step boundaries: sample just inside the step.
      const [from, to] = [(step + 1e-6) * stepMs, (step + 1 - 1e-6) * stepMs]
      const a = slopes(from, states)
      const b = slopes((from + to) / 2, combined(states, a, stepMs / 2))
      const c = slopes((from + to) / 2, combined(states, b, stepMs / 2))
      const d = slopes(to, combined(states, c, stepMs))
      const sum = combined(combined(combined(a, b, 2), c, 2), d, 1)
      states = combined(states, sum, stepMs / 6)
    }
    return voltsAt(momentMs, states)
  })
}
