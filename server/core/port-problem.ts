// What to change where the system refuses to listen on a port.
import { ownValue } from '../../plugins/contract/index.ts'

const NOT_OURS = 'can’t be used, because HOST is not an address of this machine'
const ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken: stop the program that uses it, or set another port',
  EACCES: 'needs the right to use low ports (CAP_NET_BIND_SERVICE): grant it, or set another port',
  EADDRNOTAVAIL: NOT_OURS,
  ENOTFOUND: NOT_OURS,
  EAI_AGAIN: NOT_OURS,
}

export interface WantedPort {
  /** The variable that names the port. */
  setting: string
  port: number
  host: string
}

/** A sentence for the error of a server that could not listen. */
export function portProblem(error: unknown, { setting, port, host }: WantedPort): string {
  const { code = '' } = error as NodeJS.ErrnoException
  return `${setting}: ${port} on ${host} ${ownValue(ADVICE, code) ?? `can’t be used (${code})`}`
}
