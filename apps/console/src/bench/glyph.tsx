interface Properties {
  readonly kind: string
  readonly x: number
  readonly y: number
}

/** Width of a symbol; its leads end at both sides. */
export const GLYPH_WIDTH = 34

const BOX = 'M0 0h6m22 0h6M6 -6h22v12h-22z'
/** Symbols of elements, from the lead at the left, at half of their height. */
const PATHS: Readonly<Record<string, string>> = {
  button: 'M0 0h8m18 0h8M8 -5h18M17 -5v-4M13 -9h8',
  capacitor: 'M0 0h15M15 -8v16M19 -8v16M19 0h15',
  coil: 'M0 0h5a4 4 0 0 1 8 0a4 4 0 0 1 8 0a4 4 0 0 1 8 0h5',
  diode: 'M0 0h11M11 -7v14l12 -7zM23 -7v14M23 0h11',
  motor: 'M0 0h8m18 0h8M26 0a9 9 0 1 1 -18 0a9 9 0 1 1 18 0M13 4v-8l4 5l4 -5v8',
  noise: 'M0 0h4l3 -5l3 9l3 -7l3 4l3 -8l3 11l3 -6l3 2h6',
  ntc: 'M0 0h6m22 0h6M6 -6h22v12h-22zM9 9h5l12 -17',
  open: 'M0 0h12M15 -3l6 6M21 -3l-6 6',
  potentiometer: 'M0 0h13M17 -9v18M13 0l-4 -3m4 3l-4 3M14 -9h6v18h-6z',
  resistor: BOX,
  short: 'M0 0h17v4M9 4h16M12 7h10M15 10h4',
  sine_wave: 'M0 0h5c4 -12 8 -12 12 0c4 12 8 12 12 0h5',
  source: 'M0 0h8m18 0h8M26 0a9 9 0 1 1 -18 0a9 9 0 1 1 18 0M14 0h6m-3 -3v6',
  square_wave: 'M0 5h6v-10h6v10h6v-10h6v10h10',
  triangle_wave: 'M0 5h4l6 -10l6 10l6 -10l6 10h6',
}

/** The symbol of an element; kinds without a symbol are a box. */
export function Glyph({ kind, x, y }: Properties) {
  return <path class="glyph" d={PATHS[kind] ?? BOX} transform={`translate(${x} ${y})`} />
}
