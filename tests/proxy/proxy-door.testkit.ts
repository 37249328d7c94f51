import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { testEvents } from './proxy-events.testkit.ts'
import { testPaths } from './proxy-paths.testkit.ts'
import { testRequests } from './proxy-requests.testkit.ts'
import { BODY, DoorSession, type DoorTraits, type DoorUnderTest, FEED, MODE, refusalOf, VALUES } from './proxy-session.testkit.ts'
import { testTokens } from './proxy-tokens.testkit.ts'
import { openProxyWorld, type ProxyWorld } from './proxy-world.testkit.ts'

/** Requirements for everything in front of a device. The list is the same for the built-in door and for each proxy. */
export function testFrontDoor(open: (world: ProxyWorld) => Promise<DoorUnderTest>, traits: DoorTraits): void {
  let session: DoorSession | undefined

  function visit(): DoorSession {
    if (session === undefined) throw new Error('the door is open during tests only')
    return session
  }

  beforeAll(async () => (session = await DoorSession.open(await openProxyWorld(), open)), 20_000)

  afterAll(async () => {
    await session?.door.close()
    await session?.world.close()
  }, 20_000)

  beforeEach(() => visit().begin())

  testTokens(visit, traits)
  testPaths(visit)
  testRequests(visit, traits)
  testEvents(visit)

  if (traits.isApart) {
    it('a service that is down causes a 502; when it is back, requests succeed immediately', async () => {
      await visit().world.stop()
      expect(refusalOf(await visit().ask(`GET ${VALUES}`, { token: visit().full }))).toBe(502)
      expect(refusalOf(await visit().ask(`GET ${VALUES}`))).toBe(502)
      expect(refusalOf(await visit().post(visit().full))).toBe(502)
      expect(await visit().ask(`HEAD ${VALUES}`, { token: visit().full })).toMatchObject({ status: 502, body: '' })
      expect(refusalOf(await visit().ask('GET /ca.pem'))).toBe(502)
      await visit().world.restart()
      expect(await visit().statusOf(`GET ${VALUES}`, visit().full)).toBe(200)
    })
  }

  it('writes are audited with the token’s name and the client’s address', async () => {
    await visit().post(visit().full, ['X-Forwarded-For: 10.9.8.7'])
    await visit().ask(`GET ${FEED}`, { token: visit().full })
    const [written, fed] = visit().world.audited().slice(-2)
    expect(written).toMatchObject({
      who: 'line 3 PLC',
      address: visit().address,
      what: { method: 'POST', path: MODE, body: JSON.parse(BODY) as unknown },
      result: 200,
    })
    expect(fed).toMatchObject({ who: 'line 3 PLC', address: visit().address, what: { method: 'GET', path: FEED } })
  })

  it('the port without TLS serves requests with a token, and refuses others', async () => {
    expect((await visit().ask(`GET ${VALUES}`, { token: visit().full, plain: true })).status).toBe(200)
    expect(refusalOf(await visit().ask(`GET ${VALUES}`, { plain: true }))).toBe(401)
    expect((await visit().ask('GET /ca.pem', { plain: true })).body).toBe(visit().world.certificates.authorityPem)
  })

  it('no log contains a token', async () => {
    const { door, world, full, readOnly } = visit()
    await visit().statusOf(`GET ${VALUES}?token=${full}`, full)
    if (traits.isApart) await expect.poll(() => door.written()).toContain(VALUES)
    const written = door.written() + JSON.stringify(world.audited())
    for (const secret of [full, readOnly]) {
      expect(written).not.toContain(secret)
      expect(written).not.toContain(Buffer.from(`token:${secret}`).toString('base64'))
    }
  })
}
