import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { AS_A_SERVICE, childrenOf, runs } from '../../../../tests/kernel/kernel-device.testkit.ts'
import { SlotwireProcess } from '../../../../tests/program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { describeWith } from '../../../../tools/setup/describe-with.mjs'
import type { AnnouncedFiles } from './twin-files.ts'

const SOON = { timeout: 30_000, interval: 20 }
/** A driver that has nothing in common with ours: takes one slot, and prints what happens, a line of JSON each. */
const DRIVER = `
import json, os, sys, threading, time
sys_root, dev_root, slot = sys.argv[1:]
folder = f'{sys_root}/class/sdbp/slot{slot}'
bus = threading.Lock()

def say(*words):
    print(json.dumps(words), flush=True)

def exchange(request):
    with bus:
        os.write(file, bytes.fromhex(request))
        return os.read(file, 4096).hex()

def notifications():
    while os.path.exists(folder):
        with open(f'{folder}/notification') as notification:
            say('notification', notification.read())

with open(f'{folder}/vendor_product_id') as attribute:
    say('module', attribute.read())
file = os.open(f'{dev_root}/slot{slot}', os.O_RDWR | os.O_NOCTTY)
say('run', exchange('010303'))
say('threshold', exchange('0301030109c401'))
say('values', exchange('030106')[:20])
threading.Thread(target=notifications, daemon=True).start()
try:
    while True:
        if exchange('010303') == '00':
            say('failed')
        time.sleep(0.05)
except OSError:
    say('gone')
`
/** Prints what libudev has on the devices of a subsystem, a line of JSON each. */
const ENUMERATE = `
import ctypes, json, sys
udev = ctypes.CDLL('libudev.so.1')
def call(name, *words, result=ctypes.c_char_p):
    function = getattr(udev, name)
    function.restype = result
    found = function(*[word.encode() if isinstance(word, str) else ctypes.c_void_p(word) for word in words])
    return found.decode() if isinstance(found, bytes) else found
context = call('udev_new', result=ctypes.c_void_p)
enumeration = call('udev_enumerate_new', context, result=ctypes.c_void_p)
call('udev_enumerate_add_match_subsystem', enumeration, sys.argv[1], result=ctypes.c_int)
call('udev_enumerate_scan_devices', enumeration, result=ctypes.c_int)
entry = call('udev_enumerate_get_list_entry', enumeration, result=ctypes.c_void_p)
while entry:
    path = call('udev_list_entry_get_name', entry)
    device = call('udev_device_new_from_syspath', context, path, result=ctypes.c_void_p)
    names = ['subsystem', 'sysname', 'devnode', 'devtype']
    found = [call('udev_device_get_' + name, device) for name in names]
    attribute = call('udev_device_get_sysattr_value', device, sys.argv[2])
    print(json.dumps([path, *found, attribute]))
    entry = call('udev_list_entry_get_next', entry, result=ctypes.c_void_p)
`

vi.setConfig({ testTimeout: 60_000 })

let folder: string
const programs: ChildProcess[] = []
beforeEach(() => {
  folder = join(temporaryFolder(), "it's")
  mkdirSync(folder)
})
afterEach(() => programs.splice(0).forEach((program) => program.kill('SIGKILL')))

function begin(words: readonly string[], startedBy: readonly string[] = AS_A_SERVICE, environment: NodeJS.ProcessEnv = {}) {
  return new SlotwireProcess(['twin-files', ...words], { cwd: folder, startedBy, environment })
}

async function started(...words: readonly string[]) {
  const run = begin(['device', '--port', '0', '--json', ...words])
  return { run, files: JSON.parse(await run.firstLine()) as AnnouncedFiles }
}

/** Runs a program of Python. The returned list has the lines of its output, and grows. */
function python(program: string, words: readonly string[], environment: NodeJS.ProcessEnv = {}): unknown[] {
  const [command = '', ...startedBy] = words
  const child = spawn(command, startedBy, { env: { ...process.env, ...environment }, stdio: ['pipe', 'pipe', 'inherit'] })
  programs.push(child)
  const lines: unknown[] = []
  let partial = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (partial + text).split('\n')
    partial = parts.pop() ?? ''
    lines.push(...parts.map((line) => JSON.parse(line) as unknown))
  })
  child.stdin.end(program)
  return lines
}

async function bench(files: AnnouncedFiles, path: string, body: object = {}): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${files.bench}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect([path, response.status]).toEqual([path, 200])
}

describeWith(['socat', 'libudev'], 'slotwire twin-files', (_socat, interpreter) => {
  const drive = (files: AnnouncedFiles, slot: number): unknown[] =>
    python(DRIVER, [interpreter, '-', files.sys, files.dev, String(slot)])

  it('gives a driver commands, notifications with an end, failed exchanges, and modules that come and go', async () => {
    const { files } = await started()
    const lines = drive(files, 3)
    await expect
      .poll(() => lines, SOON)
      .toEqual([
        ['module', 'modules.noreya.tech/io\0'],
        ['run', '01030300'],
        ['threshold', '03010300'],
        ['values', '03010600010002' + '000002'],
      ])
    // The alert comes at each rise.
    for (const count of [1, 2]) {
      await bench(files, 'connect', { pin: '3/1', to: { source: { volts: 5 } } })
      const alerts = Array<unknown>(count).fill(['notification', '0x0106020001000000\0'])
      await expect.poll(() => lines.slice(4), SOON).toEqual(alerts)
      await bench(files, 'disconnect', { of: '3/1' })
    }
    await bench(files, 'fault', { slot: 3, lost_frames: { share: 1 } })
    await expect.poll(() => lines.slice(6), SOON).toContainEqual(['failed'])
    await bench(files, 'clear_faults', { of: 'all' })
    const rid = readFileSync(join(files.sys, 'class/sdbp/slot3/rid'), 'utf8')
    await bench(files, 'unplug', { slot: 3 })
    await expect.poll(() => lines, SOON).toContainEqual(['gone'])
    expect([existsSync(join(files.sys, 'class/sdbp/slot3')), existsSync(join(files.dev, 'slot3'))]).toEqual([false, false])
    await bench(files, 'plug', { slot: 3, module: 'io' })
    await expect.poll(() => readdirSync(join(files.sys, 'class/sdbp')), SOON).toContain('slot3')
    expect(readFileSync(join(files.sys, 'class/sdbp/slot3/rid'), 'utf8')).not.toBe(rid)
    const again = drive(files, 3)
    await expect.poll(() => again, SOON).toContainEqual(['run', '01030300'])
  })

  it('suspends a module when its driver ends, and lets the next one open the slot', async () => {
    const { files } = await started('--bus', 'timed')
    const mode = async (): Promise<unknown> => {
      const { slots } = (await (await fetch(`${files.bench}/slots`)).json()) as { slots: readonly { mode?: string }[] }
      return slots[5]?.mode
    }
    for (const _ of [1, 2]) {
      const lines = drive(files, 5)
      await expect.poll(() => lines, SOON).toContainEqual(['threshold', '03010300'])
      await expect.poll(mode, SOON).toBe('run')
      programs.at(-1)?.kill('SIGKILL')
      await expect.poll(mode, SOON).toBe('suspend')
    }
  })

  it('shows the USB devices that the hub has enabled', async () => {
    const { files } = await started()
    const shown = (): readonly string[] => readdirSync(join(files.sys, 'bus/usb/devices'))
    await expect.poll(shown, SOON).toHaveLength(1)
    await bench(files, 'usb_attach', { slot: 5, manufacturer: 'A', product: 'B', serial_code: 'C' })
    await expect.poll(shown, SOON).toHaveLength(2)
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('ends with %s, and removes its own files only', async (signal) => {
    mkdirSync(join(folder, 'device'))
    const { run, files } = await started()
    const others = [join(files.dev, 'null'), join(files.sys, 'class', 'mine')]
    for (const other of others) writeFileSync(other, '')
    run.child.kill(signal)
    expect(await run.ended).toMatchObject({ code: 0, errors: '' })
    const left = readdirSync(join(folder, 'device'), { recursive: true, encoding: 'utf8' })
    expect(left.sort()).toEqual(['dev', 'dev/null', 'sys', 'sys/class', 'sys/class/mine'])
  })

  it('removes a folder that it has created, and leaves no process', async () => {
    const { run } = await started()
    const launched = childrenOf(run.pid)
    expect(launched).not.toEqual([])
    run.child.kill('SIGINT')
    await run.ended
    expect(readdirSync(folder)).toEqual([])
    expect(launched.filter(runs)).toEqual([])
  })

  it('keeps running when another program removes the files, and names the remedy', async () => {
    const { run, files } = await started()
    rmSync(join(folder, 'device'), { recursive: true })
    await bench(files, 'unplug', { slot: 3 })
    await expect.poll(() => run.errors, SOON).toContain('the files were changed by another program: start this one again')
    run.child.kill('SIGINT')
    expect(await run.ended).toMatchObject({ code: 0 })
  })

  it('refuses a folder that is not empty, a file, a folder without permission, and a port that is taken', async () => {
    const { port } = new URL((await started()).files.bench)
    mkdirSync(join(folder, 'full', 'sys'), { recursive: true })
    mkdirSync(join(folder, 'locked'), { mode: 0o500 })
    writeFileSync(join(folder, 'file'), '')
    const refused = async (...words: readonly string[]) => {
      const { code, output, errors } = await begin(words).ended
      return [code, output, errors.replaceAll(folder, '…')]
    }
    const remedy = 'name a new or empty folder that this user can write'
    expect(await refused('full')).toEqual([
      2,
      '',
      'slotwire: …/full is not empty (it contains sys): name a new folder, or an empty one\n',
    ])
    expect(await refused('file')).toEqual([
      2,
      '',
      `slotwire: …/file cannot be used (ENOTDIR: not a directory, scandir '…/file'): ${remedy}\n`,
    ])
    expect(await refused('locked', '--port', '0')).toEqual([
      2,
      '',
      `slotwire: …/locked cannot be used (EACCES: permission denied, mkdir '…/locked/dev'): ${remedy}\n`,
    ])
    expect(await refused('new', '--port', port)).toEqual([
      2,
      '',
      `slotwire: port ${port} is taken: choose another with --port <number>, or pick a free one with --port 0\n`,
    ])
    expect(readdirSync(folder).sort()).toEqual(['device', 'file', 'full', 'locked'])
  })

  it('names a missing program and its package', async () => {
    for (const name of ['sh', 'rm']) symlinkSync(`/bin/${name}`, join(folder, name))
    const { code, errors } = await begin(['device'], [], { PATH: folder }).ended
    expect([code, errors]).toEqual([
      2,
      'slotwire: twin-files needs the program socat: install it (Debian: apt-get install socat)\n',
    ])
  })
})

describeWith(['socat', 'libudev', 'namespaces'], 'libudev on the files, mounted on /sys', (_socat, interpreter, unshare) => {
  const USB = '/sys/devices/platform/usb/usb1/1-1'
  const slotOf = (slot: number | undefined, type: string): unknown[] => [
    `/sys/devices/virtual/sdbp/slot${slot}`,
    ...['sdbp', `slot${slot}`, `/dev/slot${slot}`, null],
    `modules.noreya.tech/${type}`,
  ]
  const MOUNTED = ['-rm', 'sh', '-c', 'mount --rbind "$0" /sys && exec "$@"']

  it.each([
    ['sdbp', 'vendor_product_id', ['bmc', 'power', 'io', 'io'].map((type, index) => slotOf([0, 1, 3, 5][index], type))],
    ['usb', 'product', [[`${USB}/1-1.2`, 'usb', '1-1.2', null, 'usb_device', 'Virtual serial adapter']]],
  ])('enumerates the devices of %s with their names, files and attributes', async (subsystem, attribute, devices) => {
    const { files } = await started()
    const words = [unshare, ...MOUNTED, files.sys, interpreter, '-', subsystem, attribute]
    const lines = python(ENUMERATE, words, { SYSTEMD_DEVICE_VERIFY_SYSFS: '0' })
    await expect.poll(() => lines, SOON).toEqual(devices)
  })
})
