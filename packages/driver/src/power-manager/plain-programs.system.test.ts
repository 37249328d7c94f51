import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { SystemClock, silentLog } from '@slotwire/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { createPowerManagerClient } from './power-manager-client.ts'
import { servePowerManager } from './power-manager-server.ts'
import { GRANTED, NOTED } from './power-peer.testkit.ts'

const clock = new SystemClock()
const need = { power3v3: 300, power5v0: 1200, power12v: 6000 }
const nothing = { power3v3: 0, power5v0: 0, power12v: 0 }

/** Reads as a plain C program does: one call for the length and one for the body, with no retry. */
const READS = `
use IO::Socket::UNIX; $| = 1;
sub hears { my ($s) = @_; sysread($s, my $l, 4) == 4 or die 'length'; my $n = unpack('V', $l);
  my $got = sysread($s, my $b, $n); die "$got of $n" if $got != $n; print "$b\\n" }
sub says { my ($s, $b) = @_; syswrite($s, pack('V', length $b)); syswrite($s, $b) }
`
const MANAGER = `${READS}
my $server = IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1) or die; print "listening\\n";
my $s = $server->accept; hears($s); says($s, '${GRANTED}'); hears($s); says($s, '${NOTED}');
`
const DRIVER = `${READS}
my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die;
says($s, '{"protocol_version":"1.0.0","msg_type":"request","slot_number":3,"max_power_3v3":300,"max_power_5v0":1200,"max_power_12v":6000}');
hears($s); says($s, '{"protocol_version":"1.0.0","msg_type":"request","action_done":true}'); hears($s);
`

describeWith('perl', 'programs that read a body with a single call', (perl) => {
  let socket: string
  let child: ChildProcess | undefined

  beforeEach(() => {
    socket = join(temporaryFolder(), 'p.socket')
  })

  afterEach(() => {
    child?.kill('SIGKILL')
  })

  function run(program: string) {
    const started = spawn(perl, ['-e', program, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
    child = started
    return started
  }

  it('understand the client when they are the power manager', async () => {
    const manager = run(MANAGER)
    await once(manager.stdout, 'data')
    const said = text(manager.stdout)
    const client = createPowerManagerClient({ socket, clock })
    expect(await client.request(3, need)).toEqual({ granted: true, missing: nothing })
    await client.done(3, true)
    expect(await said).toBe(
      '{"protocol_version":"1.0.0","msg_type":"request","slot_number":3,"max_power_3v3":300,"max_power_5v0":1200,"max_power_12v":6000}\n' +
        '{"protocol_version":"1.0.0","msg_type":"request","action_done":true}\n',
    )
  })

  it('understand the power manager when they are drivers', async () => {
    const calls: string[] = []
    const manager = {
      request: async (slot: number, asked: object) => {
        calls.push(`request ${slot} ${Object.values(asked).join(' ')}`)
        return { granted: true, missing: nothing }
      },
      done: async (slot: number, applied: boolean) => void calls.push(`done ${slot} ${applied}`),
    }
    const server = await servePowerManager({ socket, manager, clock, log: silentLog })
    expect(await text(run(DRIVER).stdout)).toBe(`${GRANTED}\n${NOTED}\n`)
    expect(calls).toEqual(['request 3 300 1200 6000', 'done 3 true'])
    await server.close()
  })
})
