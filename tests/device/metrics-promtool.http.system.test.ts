import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { describeDevice } from './device.testkit.ts'
import { scrape, scrapeText } from './metrics.testkit.ts'

describeWith('promtool', 'promtool', (promtool) => {
  describeDevice('the metrics page', (device) => {
    it('passes `promtool check metrics`, including names and units', async () => {
      await scrape(device)
      await device.module('io', 5).read('input/values')
      await device.advance(6000)
      const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], {
        input: await scrapeText(device),
        encoding: 'utf8',
      })
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
    })
  })
})
