import { describe } from 'vitest'
import { testFrontDoor } from './proxy-door.testkit.ts'

describe('the built-in network door for all services', () => {
  testFrontDoor(
    async (world) => {
      const { https, http } = await world.openNetworkDoor()
      return {
        httpsPort: https,
        httpPort: http,
        authority: world.certificates.authorityPem,
        written: () => '',
        close: async () => undefined,
      }
    },
    { parserLikeService: true, isApart: false },
  )
})
