import { type Check, failure, ok } from '../check.ts'

/** Oldest version of Node.js that runs this program. */
const OLDEST_NODE = { major: 20, minor: 19 }

export const nodeCheck: Check = {
  name: 'Node.js',
  group: 'Program',
  isForHardware: false,
  subject: () => 'the version of Node.js',
  run: ({ nodeVersion }) => {
    const [major = 0, minor = 0] = nodeVersion.split('.').map(Number)
    const isEnough = major > OLDEST_NODE.major || (major === OLDEST_NODE.major && minor >= OLDEST_NODE.minor)
    if (isEnough) return [ok(nodeVersion)]
    const floor = `${OLDEST_NODE.major}.${OLDEST_NODE.minor}`
    return [
      failure(`${nodeVersion}: too old`, `Install version ${floor} or later: apt-get install nodejs, or see https://nodejs.org.`),
    ]
  },
}
