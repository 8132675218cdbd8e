import {
  access,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { expect, onTestFinished, test } from 'vitest'
import { soakTest, someOf } from '../../../test/scale.ts'
import { startLimitedChild, type ChildSpec, type Question } from './limited-child.ts'
import { sweepWorkFolders, withinBytes, withWorkFolder } from './work-folder.ts'
import { WAIT_MS } from '../../../test/wait.ts'

const script = new URL('../../../test/children/odd-child.ts', import.meta.url)
const LIMITS: ChildSpec = { script, memoryBytes: 400 * 1024 ** 2 }
const never = new AbortController().signal
const asked = (deed: string, given?: string) => ({
  input: { deed, given },
  answer: z.unknown(),
  wallMs: WAIT_MS,
  signal: never,
})
const start = (wanted: Partial<ChildSpec> = {}) => {
  const child = startLimitedChild({ ...LIMITS, ...wanted })
  onTestFinished(() => child.close())
  return child
}
/** One request to a new child. */
async function runLimited<Answer>(wanted: ChildSpec & Question<Answer>): Promise<Answer> {
  wanted.signal.throwIfAborted()
  const child = startLimitedChild(wanted)
  try {
    return await child.ask(wanted)
  } finally {
    child.close()
  }
}

const run = (deed: string, given?: string, wanted: Partial<ChildSpec> = {}) =>
  runLimited({ ...LIMITS, ...wanted, ...asked(deed, given) })

test('one child answers one request after another', async () => {
  const child = start()
  expect(await child.ask(asked('echo', 'one'))).toBe('one')
  expect(await child.ask(asked('pid'))).toBe(await child.ask(asked('pid')))
  expect(child.alive).toBe(true)
})

test('it has none of the server’s environment', async () => {
  process.env.A_SECRET_OF_THE_SERVER = 'canary'
  onTestFinished(() => void delete process.env.A_SECRET_OF_THE_SERVER)
  const environment = (await run('environment')) as Record<string, string>
  expect(
    Object.keys(environment).filter(
      (name) =>
        !/^(PATH|HOME|TMPDIR|MALLOC_ARENA_MAX|NODE_COMPILE_CACHE|PWD|OLDPWD|SHLVL|_|NODE_CHANNEL_.*)$/.test(
          name,
        ),
    ),
  ).toEqual([])
})

soakTest('what one child compiled is read by the next', async () => {
  const { NODE_COMPILE_CACHE = '' } = process.env
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-compiled-'))
  process.env.NODE_COMPILE_CACHE = folder
  onTestFinished(async () => {
    process.env.NODE_COMPILE_CACHE = NODE_COMPILE_CACHE
    await rm(folder, { recursive: true })
  })
  await run('pid')
  const compiled = async () => (await readdir(folder, { recursive: true })).toSorted()
  const first = await compiled()
  expect(first.length).toBeGreaterThan(1)
  await run('pid')
  expect(await compiled()).toEqual(first)
})

test('a refusal keeps its code and the child stays alive; a bug reveals no internal details', async () => {
  const child = start()
  await expect(child.ask(asked('refuse'))).rejects.toMatchObject({
    code: 'image_damaged',
    retryable: false,
  })
  await expect(child.ask(asked('fail'))).rejects.toMatchObject({
    code: 'plugin_failed',
    message: 'The plugin failed on this file',
  })
  expect(await child.ask(asked('echo', 'still here'))).toBe('still here')
})

// V8 collects garbage over and over when the heap is nearly full; a smaller heap ends this sooner.
test.each(
  someOf(
    [
      ['heap', 100],
      ['buffers', 400],
      ['wasm', 400],
    ] as const,
    (_, at) => at === 1,
  ),
)(
  'too much memory in its %s is reported as such, and does not affect the server',
  async (deed, megabytes) => {
    const before = process.memoryUsage().rss
    await expect(run(deed, '', { memoryBytes: megabytes * 1024 ** 2 })).rejects.toMatchObject({
      code: 'memory_limit',
      retryable: false,
    })
    expect(process.memoryUsage().rss - before).toBeLessThan(
      Math.min(100, megabytes / 2) * 1024 ** 2,
    )
  },
)

test('time and processor time are limited', async () => {
  const sleeper = start()
  await expect(sleeper.ask({ ...asked('sleep'), wallMs: 500 })).rejects.toMatchObject({
    code: 'time_limit',
  })
  expect(sleeper.alive).toBe(false)
  await expect(sleeper.ask(asked('echo'))).rejects.toMatchObject({ name: 'PortError' })
  await expect(run('spin', '', { cpuSeconds: 1 })).rejects.toMatchObject({ code: 'time_limit' })
})

soakTest('a file that it writes is limited in size', () =>
  withWorkFolder(async (folder) => {
    const file = path.join(folder, 'large')
    expect(await run('write', file, { fileBytes: 2 ** 16 })).toBe('EFBIG')
    expect((await stat(file)).size).toBeLessThanOrEqual(2 ** 17)
  }),
)

test('a work folder may grow to its limit, and work that exceeds it is stopped', () =>
  withWorkFolder(async (folder) => {
    const reason = new Error('too much')
    const write = (size: number) => () =>
      writeFile(path.join(folder, 'file'), Buffer.alloc(size)).then(() => 'done')
    expect(await withinBytes(folder, 1000, reason, write(1000))).toBe('done')
    await expect(withinBytes(folder, 1000, reason, write(1001))).rejects.toBe(reason)
    const endless = (signal: AbortSignal) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      )
    await expect(withinBytes(folder, 1000, reason, endless)).rejects.toBe(reason)
  }))

soakTest('a crash is reported as such', async () => {
  for (const deed of ['exit', 'segfault'])
    await expect(run(deed)).rejects.toMatchObject({ code: 'processor_crashed' })
})

test('a signal from outside is not the file’s fault: it may be tried again', async () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
    const child = start()
    const pid = (await child.ask(asked('pid'))) as number
    const asking = child.ask(asked('sleep'))
    process.kill(pid, signal)
    await expect(asking).rejects.toMatchObject({ code: 'processor_crashed', retryable: true })
  }
})

test.skipIf(process.platform !== 'linux')(
  'it is in a separate process group, which Ctrl-C in a terminal does not reach',
  async () => {
    const pid = (await start().ask(asked('pid'))) as number
    const [, , group] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ')
    expect(Number(group)).toBe(pid)
  },
)

soakTest('a malformed response is refused', async () => {
  const child = start()
  await expect(child.ask({ ...asked('echo', 'text'), answer: z.number() })).rejects.toMatchObject({
    code: 'processor_crashed',
  })
})

test('an abort kills it with the abort’s reason, also before it starts', async () => {
  const stop = new AbortController()
  const child = start()
  await child.ask(asked('pid'))
  const asking = child.ask({ ...asked('sleep'), signal: stop.signal })
  stop.abort(new Error('cancelled by hand'))
  await expect(asking).rejects.toThrow('cancelled by hand')
  expect(child.alive).toBe(false)
  await expect(runLimited({ ...LIMITS, ...asked('echo'), signal: stop.signal })).rejects.toThrow(
    'cancelled by hand',
  )
})

test('bytes pass through a private folder that is deleted afterwards', async () => {
  const seen = await withWorkFolder(async (folder) => {
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    await writeFile(path.join(folder, 'in'), 'bytes')
    await run('copy', path.join(folder, 'in'))
    expect(await readFile(path.join(folder, 'in.out'), 'utf8')).toBe('bytes')
    return folder
  })
  await expect(access(seen)).rejects.toThrow()
  await expect(withWorkFolder(async (folder) => Promise.reject(new Error(folder)))).rejects.toThrow(
    'stevedore-work-',
  )
})

soakTest('folders of killed processes are deleted; those in use stay', async () => {
  const left = path.join(tmpdir(), 'stevedore-work-left')
  await mkdir(left, { recursive: true })
  await utimes(left, new Date(0), new Date(0))
  await withWorkFolder(async (folder) => {
    await sweepWorkFolders()
    await access(folder)
  })
  await expect(access(left)).rejects.toThrow()
})

soakTest('a temporary folder that could not be listed once does not fail later work', async () => {
  // A second instance of the module, which has not swept yet.
  const again = './work-folder.ts?again'
  const fresh = (await import(again)) as { withWorkFolder: typeof withWorkFolder }
  const { TMPDIR: before } = process.env
  const restore = () => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
  onTestFinished(restore)
  process.env.TMPDIR = path.join(tmpdir(), 'stevedore-not-there')
  await expect(fresh.withWorkFolder(() => Promise.resolve())).rejects.toThrow('ENOENT')
  restore()
  expect(await fresh.withWorkFolder(() => Promise.resolve('done'))).toBe('done')
})
