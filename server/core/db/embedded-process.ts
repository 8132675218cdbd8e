// Finds the server that runs on a cluster's folder, by its pid file and the process of that number.
import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The id of the process that runs on this folder, or null. */
export async function runningProcess(cluster: string): Promise<number | null> {
  const lines = await pidFile(cluster)
  return lines && (await isPostgres(Number(lines[0]))) ? Number(lines[0]) : null
}

/** The port of the server that runs on this folder, or null. */
export async function runningPort(cluster: string): Promise<number | null> {
  const lines = await pidFile(cluster)
  if (!lines || !(await isPostgres(Number(lines[0])))) return null
  return Number(lines[3])
}

/** Removes the pid file of a server that was killed, so that the next one starts. */
export async function clearStalePid(cluster: string): Promise<void> {
  const lines = await pidFile(cluster)
  // The id may be reused by another program, which PostgreSQL would treat as a running server.
  if (lines && !(await isPostgres(Number(lines[0]))))
    await rm(path.join(cluster, 'postmaster.pid'), { force: true })
}

async function pidFile(cluster: string): Promise<string[] | null> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => null)
  const lines = text?.split('\n')
  return lines && lines.length > 3 ? lines : null
}

/** Called every second, so it reads /proc where that exists instead of starting a program. */
async function isPostgres(pid: number): Promise<boolean> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    return /^\d+ \(postgres\) [^ZX]/.test(stat)
  }
  const { stdout } = await run('ps', ['-o', 'stat=,command=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }))
  return /postgres/.test(stdout) && !stdout.trimStart().startsWith('Z')
}
