// Finds the process of the drop server among the children of a server started by `npm start`.
import { readdirSync, readFileSync } from 'node:fs'

/** Null: it is not running at this moment. */
export function dropProcessOf(server: number): number | null {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const found = pids.find((pid) => parentOf(pid) === server && hasRole(pid))
  return found === undefined ? null : Number(found)
}

/** The memory that a process has resident, in megabytes. */
export const residentMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readProcess(String(pid), 'status'))?.[1]) / 1024

const readProcess = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

const parentOf = (pid: string) => Number(/^PPid:\s+(\d+)$/m.exec(readProcess(pid, 'status'))?.[1])
const hasRole = (pid: string) => readProcess(pid, 'environ').includes('\0ROLE=drop\0')
