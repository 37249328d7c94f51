import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, constants } from 'node:os'
import { join } from 'node:path'
import { SystemClock, silentLog } from '@slotwire/core'
import { Pty } from '@slotwire/twin/kernel'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import { createKernelBackplane } from './kernel-backplane.ts'
import { ChildEnded, Errno, InterpreterMissing, KernelFileError, type SlotFile } from './kernel-files.ts'
import { SystemFiles } from './system-files.ts'

const PERL = 'perl'
const never = new AbortController().signal

describeWith('socat', 'the system calls', (socat) => {
  let files: SystemFiles
  let folder: string
  beforeEach(() => {
    files = new SystemFiles({ clock: new SystemClock(), processors: availableParallelism() })
    folder = temporaryFolder()
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await files.close()
  })

  const open = async (pty: Pty): Promise<SlotFile> => files.open(pty.file, '', never)

  it('write one payload and read one, each as a whole', async () => {
    const pty = await Pty.open(socat)
    const heard: string[] = []
    pty.onPayload = (payload) => {
      heard.push(payload.toString('hex'))
      pty.send(Buffer.from(payload).reverse())
    }
    const file = await open(pty)
    // The largest payload of a frame of 64 bytes, with control characters that a terminal would interpret.
    const largest = Uint8Array.from({ length: 58 }, (_, index) => index)
    for (let round = 0; round < 50; round++) {
      expect(await file.exchange(Uint8Array.of(3, 4, 13, 10, 17, 19, 26))).toEqual(Uint8Array.of(26, 19, 17, 10, 13, 4, 3))
      expect(await file.exchange(largest)).toEqual(largest.toReversed())
    }
    expect(heard.length).toBe(100)
    await file.close()
    await pty.closed
  })

  it.each([
    { what: 'late, and the counter of failed notifications has risen', ms: 250, count: 1, restarts: 1 },
    { what: 'late because it was sent late, and the counter has risen', sentMs: 250, ms: 0, count: 1, restarts: 1 },
    { what: 'late only: the bus was busy', ms: 250, count: 0, restarts: 0 },
    { what: 'in time, although the counter has risen', ms: 0, count: 1, restarts: 0 },
  ])('report a restart of the module for a MODE_RUN that is answered $what ($restarts)', async (one) => {
    const { sentMs = 0, ms, count, restarts } = one
    const clock = new SystemClock()
    const counter = join(folder, 'stats_failed_notifications')
    writeFileSync(counter, '0\0')
    const pty = await Pty.open(socat)
    pty.onPayload = (payload) => pty.send(payload)
    const file = await files.open(pty.file, counter, never)
    let seen = 0
    file.onRestart?.(() => seen++)
    await file.exchange(Uint8Array.of(1, 3, 3))
    await clock.sleep(sentMs)
    pty.onPayload = (payload) => {
      writeFileSync(counter, `${count}\0`)
      clock.after(ms, () => pty.send(payload))
    }
    await file.exchange(Uint8Array.of(1, 3, 3))
    expect(seen).toBe(restarts)
    await file.close()
  })

  it('run in parallel on every slot', async () => {
    const ptys = await Promise.all([Pty.open(socat), Pty.open(socat)])
    const [hung, other] = await Promise.all(ptys.map(open))
    const heard = ptys[0]?.nextPayload()
    const waiting = hung?.exchange(Uint8Array.of(1))
    await heard
    const [, lively] = ptys
    if (lively !== undefined) lively.onPayload = (payload) => lively.send(payload)
    expect(await other?.exchange(Uint8Array.of(2))).toEqual(Uint8Array.of(2))
    await hung?.close()
    await expect(waiting).rejects.toBeInstanceOf(ChildEnded)
    await other?.close()
    await Promise.all(ptys.map(({ closed }) => closed))
  })

  it('are aborted by force when one never returns: the file is closed, and the slot can be opened again', async () => {
    const pty = await Pty.open(socat)
    const file = await open(pty)
    const heard = pty.nextPayload()
    const waiting = expect(file.exchange(Uint8Array.of(1))).rejects.toThrow(`the process for ${pty.file} has ended`)
    await heard
    await file.close()
    await waiting
    await pty.closed
  })

  it('reuse the process for the next slot after a normal close', async () => {
    const [first, second] = await Promise.all([Pty.open(socat), Pty.open(socat)])
    const before = await open(first)
    const { pids } = files
    await before.close()
    const after = await open(second)
    expect(files.pids).toEqual(pids)
    await after.close()
  })

  it('report what failed: the far end is gone, the file is missing, the payload is too long', async () => {
    const pty = await Pty.open(socat)
    const file = await open(pty)
    pty.onPayload = () => pty.hangUp()
    await expect(file.exchange(Uint8Array.of(1))).rejects.toMatchObject({ syscall: 'read', errno: Errno.EIO })
    await expect(file.exchange(Uint8Array.of(1))).rejects.toMatchObject({ syscall: 'write', errno: Errno.EIO })
    await expect(file.exchange(new Uint8Array(4097))).rejects.toMatchObject({ syscall: 'write', errno: Errno.EMSGSIZE })
    await expect(files.open(join(folder, 'slot3'), '', never)).rejects.toMatchObject({ syscall: 'open', errno: Errno.ENOENT })
    await file.close()
  })

  it('report a process that was killed from outside, and start another for the next open', async () => {
    const pty = await Pty.open(socat)
    const file = await open(pty)
    const pid = files.pids.at(-1) ?? expect.fail('no process')
    const heard = pty.nextPayload()
    const waiting = expect(file.exchange(Uint8Array.of(1))).rejects.toBeInstanceOf(ChildEnded)
    await heard
    process.kill(pid, 'SIGKILL')
    await waiting
    await expect(file.exchange(Uint8Array.of(1))).rejects.toBeInstanceOf(ChildEnded)
    await pty.closed
    const next = await Pty.open(socat)
    await (await open(next)).close()
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'continue when %s is sent to the whole group: the parent ends them',
    async (signal) => {
      const pty = await Pty.open(socat)
      pty.onPayload = (payload) => pty.send(payload)
      const file = await open(pty)
      await file.exchange(Uint8Array.of(1))
      await files.list(folder)
      const { pids } = files
      for (const pid of pids) process.kill(pid, signal)
      expect(await file.exchange(Uint8Array.of(2))).toEqual(Uint8Array.of(2))
      expect(await files.list(folder)).toEqual([])
      expect(files.pids).toEqual(pids)
    },
  )

  it('are repeated by another process when the one for /sys stops', async () => {
    writeFileSync(join(folder, 'rid'), '4711\0')
    await files.list(folder)
    const [stopped = 0] = files.pids
    process.kill(stopped, 'SIGSTOP')
    const answers = Promise.all([files.list(folder), files.read([join(folder, 'rid')])])
    files.replaceReader()
    expect(await answers).toEqual([['rid'], ['4711\0']])
    expect(files.pids).not.toContain(stopped)
  })

  it('read one page at most: an endless file does not fill the memory', async () => {
    const [zeros] = await files.read(['/dev/zero'])
    expect(zeros).toBe('\0'.repeat(4096))
  })

  it('treat a read without a byte as a failure: a module has no end of file', async () => {
    const file = await files.open('/dev/null', '', never)
    await expect(file.exchange(Uint8Array.of(1))).rejects.toMatchObject({ syscall: 'read', errno: Errno.EIO })
    await file.close()
  })

  it('refuse to write to a file that is not a character device', async () => {
    const file = join(folder, 'slot3')
    writeFileSync(file, 'precious')
    await expect(files.open(file, '', never)).rejects.toMatchObject({ syscall: 'open', errno: Errno.ENOTTY })
    expect(readFileSync(file, 'utf8')).toBe('precious')
    const pty = await Pty.open(socat)
    pty.onPayload = (payload) => pty.send(payload)
    expect(await (await open(pty)).exchange(Uint8Array.of(1))).toEqual(Uint8Array.of(1))
  })

  it('list folders, read whole files and write them', async () => {
    writeFileSync(join(folder, 'rid'), '4711\0')
    await files.write(join(folder, 'close_notification'), '\x01')
    expect(readFileSync(join(folder, 'close_notification'))).toEqual(Buffer.of(1))
    expect([...(await files.list(folder))].sort()).toEqual(readdirSync(folder))
    const [rid, missing] = await files.read([join(folder, 'rid'), join(folder, 'vendor_name')])
    expect(rid).toBe('4711\0')
    expect(missing).toMatchObject({ syscall: 'open', errno: Errno.ENOENT })
    await expect(files.list(join(folder, 'nothing'))).rejects.toMatchObject({ syscall: 'scandir', errno: Errno.ENOENT })
    await expect(files.write(join(folder, 'no', 'thing'), '')).rejects.toMatchObject({ errno: Errno.ENOENT })
  })

  it('pass a request that is longer than the pipe to the process', async () => {
    writeFileSync(join(folder, 'rid'), '4711\0')
    const paths = Array.from({ length: 10_000 }, () => join(folder, 'rid'))
    expect(JSON.stringify(paths).length).toBeGreaterThan(300_000)
    expect(new Set(await files.read(paths))).toEqual(new Set(['4711\0']))
    expect((await files.read(paths)).length).toBe(paths.length)
  })

  it('fail while no process can be started, and succeed when one can', async () => {
    vi.stubEnv('PATH', folder)
    await expect(files.list(folder)).rejects.toBeInstanceOf(InterpreterMissing)
    await expect(files.open(join(folder, 'slot3'), '', never)).rejects.toBeInstanceOf(ChildEnded)
    vi.unstubAllEnvs()
    expect(await files.list(folder)).toEqual([])
    await expect(files.open(join(folder, 'slot3'), '', never)).rejects.toMatchObject({ errno: Errno.ENOENT })
  })

  it('are refused at the start of a backplane without Perl, with the remedy', async () => {
    vi.stubEnv('PATH', folder)
    const roots = { sysRoot: folder, devRoot: folder }
    await expect(createKernelBackplane({ ...roots, clock: new SystemClock(), log: silentLog })).rejects.toThrow(
      'the process that reads /sys could not be started: there is no perl): install Perl (Debian: "apt-get install perl-base")',
    )
  })

  it.each(['reader.pl', 'slot.pl'])('are made by %s, which compiles without a warning, with the modules of perl-base', (name) => {
    const program = join(import.meta.dirname, name)
    const { stderr } = spawnSync(PERL, ['-Mstrict; BEGIN { @INC = grep m{/perl-base$}, @INC }', '-c', program])
    expect(String(stderr)).toBe(`${program} syntax OK\n`)
  })

  it('answer a look at the slots as soon as something differs, or after the last look', async () => {
    const slot = join(folder, 'slot3')
    mkdirSync(slot)
    writeFileSync(join(slot, 'rid'), '1\0')
    writeFileSync(join(slot, 'fw_version'), 'S.1')
    const look = (known: string, looks: number): Promise<string> =>
      files.watch(folder, [join(slot, 'fw_version')], known, { intervalMs: 1, looks })
    let known = await look('', 1)
    expect(await look(known, 3)).toBe(known)
    const changes = [
      () => writeFileSync(join(slot, 'rid'), '2\0'),
      () => writeFileSync(join(slot, 'fw_version'), 'S.2'),
      () => mkdirSync(join(folder, 'slot4')),
      () => rmSync(slot, { recursive: true }),
    ]
    for (const change of changes) {
      const changed = look(known, Number.MAX_SAFE_INTEGER)
      change()
      const seen = await changed
      expect(seen).not.toBe(known)
      known = await look('', 1)
    }
  })

  it('report the error numbers of the system', () => {
    const { EAGAIN, EBUSY, EIO, EMSGSIZE, ENODEV, EPIPE } = constants.errno
    expect(Errno).toMatchObject({ EAGAIN, EBUSY, EIO, EMSGSIZE, ENODEV, EPIPE, EBADSLT: 57, ECOMM: 70 })
  })

  it.each([
    ['ENOTDIR', constants.errno.ENOTDIR],
    ['EISDIR', constants.errno.EISDIR],
    ['ELOOP', constants.errno.ELOOP],
    ['EBADSLT', 57],
    ['ECOMM', 70],
    ['errno 4711', 4711],
  ])('name %s in their error messages', (name, errno) => {
    expect(new KernelFileError('open', errno, '/sys/x').message).toBe(`open /sys/x: ${name}`)
  })

  it('are repeated when the process that reads has ended meanwhile', async () => {
    await files.list(folder)
    const pid = files.pids[0] ?? expect.fail('no process')
    const listed = files.list(folder)
    process.kill(pid, 'SIGKILL')
    expect(await listed).toEqual([])
    expect(await files.list(folder)).toEqual([])
    expect(files.pids).not.toContain(pid)
  })
})
