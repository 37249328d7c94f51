import { type Branch, isReactive } from '../branch.ts'
import type { Memory } from '../node/node-memory.ts'
import type { SolvedNode } from '../node/solved-node.ts'
import type { Attachment, Net, WiredTerminal } from '../terminal.ts'
import { GROUND, Network, type Placed } from './network.ts'
import { NetworkNode } from './network-node.ts'

/** The nets that elements between two pins join with this one, in the order of their names; itself included. */
export function linkedNets(start: Net): readonly Net[] {
  // Iterating over a set includes members that are added meanwhile.
  const found = new Set([start])
  for (const net of found) {
    for (const { ends } of bridgesOf(net)) for (const end of ends ?? []) found.add(end.net)
  }
  return [...found].sort((a, b) => ascending(nameOf(a), nameOf(b)))
}

/** Whether a single net needs a network: a formula of its own has none for a capacitor, nor for an element between two pins. */
export function needsNetwork(nets: readonly Net[]): boolean {
  const branches = nets.flatMap((net) => net.members.flatMap((member) => [...member.elements].map(({ branch }) => branch)))
  return (
    nets.some((net) => bridgesOf(net).length > 0) ||
    branches.some((branch) => branch !== undefined && isReactive(branch) && branch.fadesPerMs === 0)
  )
}

/** Solves linked nets as one network from a moment on: one node for each of them. */
export function solvedTogether(
  nets: readonly Net[],
  driverOf: (member: WiredTerminal) => Branch | undefined,
  fromMs: number,
): ReadonlyMap<Net, SolvedNode> {
  const members = nets.flatMap((net) => net.members)
  const memories = new Map<Branch, readonly number[] | undefined>()
  const placed: Placed[] = []
  const place = (branch: Branch | undefined, from: Net, to?: Net): void => {
    if (branch !== undefined) placed.push({ branch, from: nets.indexOf(from), to: to === undefined ? GROUND : nets.indexOf(to) })
  }
  for (const member of members) place(driverOf(member), member.net)
  const attached = members.flatMap((member) => [...member.elements].map((attachment) => ({ attachment, net: member.net })))
  const order = ({ attachment, net }: (typeof attached)[number]): string =>
    `${nameOf(net)} ${attachment.key} ${JSON.stringify(attachment.memory ?? [])}`
  for (const { attachment, net } of inOrder(attached, order)) {
    if (attachment.branch !== undefined) memories.set(attachment.branch, attachment.memory)
    place(attachment.branch, net)
  }
  const bridges = [...new Set(nets.flatMap(bridgesOf))]
  for (const { branch, ends, memory } of inOrder(bridges, bridgeOrder)) {
    if (branch === undefined || ends === undefined) continue
    memories.set(branch, memory)
    place(branch, ends[0].net, ends[1].net)
  }
  const memory: Memory = { fromMs, of: (port) => memories.get(port) }
  const network = new Network(nets.length, placed, memory)
  return new Map(nets.map((net, index) => [net, new NetworkNode(network, index)]))
}

export function bridgesOf(net: Net): readonly Attachment[] {
  return net.members.flatMap((member) => [...member.bridges])
}

function bridgeOrder({ ends, key, memory }: Attachment): string {
  return `${ends?.map(({ name }) => name).join(' ')} ${key} ${JSON.stringify(memory ?? [])}`
}

/** Sorts by texts that do not depend on the order of connecting. */
function inOrder<Item>(items: readonly Item[], textOf: (item: Item) => string): Item[] {
  return items
    .map((item) => ({ item, text: textOf(item) }))
    .sort((a, b) => ascending(a.text, b.text))
    .map(({ item }) => item)
}

function nameOf(net: Net): string {
  return net.members[0]?.name ?? ''
}

function ascending(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
