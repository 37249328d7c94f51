import { describe, expect, it } from 'vitest'
import type { Announcement } from './announcement.ts'
import { txtStrings } from './announcement-zone.ts'
import { avahiServiceFile } from './avahi.ts'

const io = { name: 'io-module', path: '/api/io/' }
const announcement: Announcement = {
  hostName: 'press-4',
  vendor: `Söhne & "Co" <it's>`,
  services: [io],
  doors: [
    { scheme: 'https', port: 8443 },
    { scheme: 'http', port: 80 },
  ],
  addresses: ['10.0.0.5', 'fd77::5'],
  machineIdPath: '/machine-id',
  tlsCaPath: '/ca.pem',
}

describe('txtStrings', () => {
  it('has every key of the specification', () =>
    expect(txtStrings(announcement, io)).toEqual([
      'service=io-module',
      'path=/api/io/',
      'machine-id=/machine-id',
      'tls-ca=/ca.pem',
      `vendor=Söhne & "Co" <it's>`,
    ]))

  it('limits strings to 255 bytes of whole characters, without control characters', () => {
    const vendor = (text: string) => txtStrings({ ...announcement, vendor: text }, io).at(-1) ?? ''
    expect(vendor(`x${'ö'.repeat(200)}`)).toBe(`vendor=x${'ö'.repeat(123)}`)
    expect(vendor('a\u0000\n\u009fb')).toBe('vendor=a b')
  })
})

describe('avahiServiceFile', () => {
  it('matches avahi.service(5): one name and an entry for each door', () =>
    expect(avahiServiceFile(announcement, io, 'press-4')).toBe(`<?xml version="1.0" standalone="no"?>
<!DOCTYPE service-group SYSTEM "avahi-service.dtd">
<!-- Written by slotwire, and removed when it ends. -->
<service-group>
  <name replace-wildcards="yes">io-module on %h</name>
  <service protocol="any">
    <type>_https._tcp</type>
    <port>8443</port>
    <txt-record>service=io-module</txt-record>
    <txt-record>path=/api/io/</txt-record>
    <txt-record>machine-id=/machine-id</txt-record>
    <txt-record>tls-ca=/ca.pem</txt-record>
    <txt-record>vendor=Söhne &amp; &quot;Co&quot; &lt;it&apos;s&gt;</txt-record>
  </service>
  <service protocol="any">
    <type>_http._tcp</type>
    <port>80</port>
    <txt-record>service=io-module</txt-record>
    <txt-record>path=/api/io/</txt-record>
    <txt-record>machine-id=/machine-id</txt-record>
    <txt-record>tls-ca=/ca.pem</txt-record>
    <txt-record>vendor=Söhne &amp; &quot;Co&quot; &lt;it&apos;s&gt;</txt-record>
  </service>
</service-group>
`))

  it.each([
    [['10.0.0.5'], 'ipv4'],
    [['fd77::5'], 'ipv6'],
  ])('limits addresses %j to %s', (addresses, protocol) =>
    expect(avahiServiceFile({ ...announcement, addresses }, io, 'press-4')).toContain(`<service protocol="${protocol}">`),
  )

  it('shortens the name if service and host are too long for one label', () => {
    const hostName = `${'x'.repeat(58)}-12`
    const name = /<name replace-wildcards="no">(.*)<\/name>/.exec(avahiServiceFile(announcement, io, hostName))?.[1] ?? ''
    expect([name.length, name.startsWith('io-module on xxx'), name.endsWith('xxx-12')]).toEqual([63, true, true])
  })
})
