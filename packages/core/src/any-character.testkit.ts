import fc from 'fast-check'

const SURROGATES = { from: 0xd800, count: 0x800 }
const HIGHEST = 0x10_ffff

/** Any Unicode character, as a `unit` of `fc.string`. The unit `binary`, built into `fc.string`, takes a second to initialize in each worker. */
export const anyCharacter = fc
  .nat({ max: HIGHEST - SURROGATES.count })
  .map((code) => String.fromCodePoint(code < SURROGATES.from ? code : code + SURROGATES.count))
