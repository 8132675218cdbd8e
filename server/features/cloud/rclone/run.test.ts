import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runRclone, type Run } from './run.ts'

const GIB_IN_KIB = String(1024 ** 2)

/** Creates a shell script that replaces rclone. */
async function scriptOf(...lines: string[]): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-rclone-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'rclone')
  await writeFile(file, ['#!/bin/sh', ...lines, ''].join('\n'))
  await chmod(file, 0o755)
  return file
}

const run = (program: string, change: Partial<Run> = {}) =>
  runRclone(program, {
    command: ['lsjson'],
    paths: ['src:'],
    remote: { TYPE: 'local' },
    environment: {},
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    ...change,
  })

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('a child that exceeds its time limit is killed and reported as unreachable', async () => {
  // The time limit passes while the child runs: only timers are faked.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let pid = 0
  const ended = run(await scriptOf('echo $$', 'exec sleep 3600'), {
    timeoutMs: 5000,
    onLine: (line) => {
      pid = Number(line)
      vi.advanceTimersByTime(5000)
    },
  })
  await expect(ended).rejects.toMatchObject({ code: 'cloud_unreachable', retryable: true })
  expect(pid).toBeGreaterThan(0)
  expect(isRunning(pid)).toBe(false)
})

test('a child has at most 1 GB of memory', async () => {
  const lines: string[] = []
  await run(await scriptOf('ulimit -d', 'echo $GOMEMLIMIT'), {
    onLine: (line) => void lines.push(line),
  })
  expect(lines).toEqual([GIB_IN_KIB, '256MiB'])
})

test('a child gets the settings of its remote, and no variables of this process', async () => {
  vi.stubEnv('CLOUD_GOOGLE_CLIENT_SECRET', 'canary')
  onTestFinished(() => void vi.unstubAllEnvs())
  const lines: string[] = []
  await run(await scriptOf('env'), {
    environment: { HTTPS_PROXY: 'http://127.0.0.1:1' },
    onLine: (line) => void lines.push(line),
  })
  // Ignores variables that the shell sets.
  const given = lines.filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(line))
  expect(given.sort()).toEqual([
    'GOMEMLIMIT=256MiB',
    'HTTPS_PROXY=http://127.0.0.1:1',
    'RCLONE_CONFIG=',
    'RCLONE_CONFIG_SRC_TYPE=local',
  ])
})
