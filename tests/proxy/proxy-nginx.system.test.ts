import { nginxConfig } from '@slotwire/network/proxy-config'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { testFrontDoor } from './proxy-door.testkit.ts'
import { startNginx, startProxy } from './proxy-programs.testkit.ts'

describeWith('nginx', 'nginx with the configuration of slotwire proxy-config', (nginx) => {
  testFrontDoor(
    (world) => startProxy(world, nginxConfig, (folder, configuration, port) => startNginx(nginx, folder, configuration, port)),
    { parserLikeService: true, isApart: true },
  )
})
