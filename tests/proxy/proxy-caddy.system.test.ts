import { caddyConfig } from '@slotwire/network/proxy-config'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { testFrontDoor } from './proxy-door.testkit.ts'
import { startCaddy, startProxy } from './proxy-programs.testkit.ts'

describeWith('caddy', 'Caddy with the configuration of slotwire proxy-config', (caddy) => {
  testFrontDoor(
    (world) => startProxy(world, caddyConfig, (folder, configuration, port) => startCaddy(caddy, folder, configuration, port)),
    { parserLikeService: false, understands: ['a length and chunks', 'chunks and a length'], isApart: true },
  )
})
