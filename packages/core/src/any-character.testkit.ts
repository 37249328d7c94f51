import fc from 'fast-check'

const SURROGATES = { from: 0xd800, count: 0x800 }
const HIGHEST = 0x10_ffff

/** Any Unicode character, assigned or not, as a unit of `fc.string`: its own `binary` takes a second to set up in each worker. */
export const anyCharacter = fc
  .nat({ max: HIGHEST - SURROGATES.count })
  .map((code) => String.fromCodePoint(code < SURROGATES.from ? code : code + SURROGATES.count))
