/** FNV-1a with the final mixing of MurmurHash3: 32 bits in which every bit of the text counts. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/**
 * The bridge that has a device: rendezvous hashing. All that see the same bridges come to the same result, and when one leaves only its
 * devices move. Undefined without a bridge.
 */
export function ownerOf(id: string, bridges: Iterable<string>): string | undefined {
  let owner: string | undefined
  let highest = -1
  for (const bridge of bridges) {
    const weight = hashOf(`${bridge}/${id}`)
    if (weight > highest || (weight === highest && owner !== undefined && bridge < owner)) [owner, highest] = [bridge, weight]
  }
  return owner
}
