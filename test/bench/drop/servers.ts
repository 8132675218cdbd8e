// OpenSSH's sshd and vsftpd with their default settings, on free ports, each with an empty folder
// for uploads.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { freePort } from '../../flows/server.ts'
import { findProgram } from '../../programs.ts'

export interface OtherServer {
  port: number
  /** The folder that receives the files. */
  folder: string
  stop(): Promise<void>
}

const program = (command: string, debianPackage: string): string => {
  const found = findProgram(command, debianPackage)
  if (!found) throw new Error(`Install ${debianPackage} from your system's packages`)
  return found
}

/** `publicKey`: the line of a .pub file that may sign in, as the user who runs the bench. */
export async function startSshd(folder: string, publicKey: string): Promise<OtherServer> {
  const sshd = program('sshd', 'openssh-server')
  const place = path.join(folder, 'sshd')
  const files = path.join(place, 'files')
  await mkdir(files, { recursive: true })
  await mkdir('/run/sshd', { recursive: true })
  const hostKey = path.join(place, 'host')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKey])
  await writeFile(path.join(place, 'keys'), publicKey, { mode: 0o600 })
  const port = await freePort()
  const settings = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${hostKey}`,
    'UsePAM no',
    `AuthorizedKeysFile ${path.join(place, 'keys')}`,
    'StrictModes no',
    'PidFile none',
    'PermitRootLogin yes',
    'PasswordAuthentication no',
    'Subsystem sftp internal-sftp',
  ]
  await writeFile(path.join(place, 'config'), settings.join('\n') + '\n')
  const child = spawn(sshd, ['-D', '-e', '-f', path.join(place, 'config')], { stdio: 'ignore' })
  return started(child, port, files)
}

export async function startVsftpd(folder: string): Promise<OtherServer> {
  const vsftpd = program('vsftpd', 'vsftpd')
  const place = path.join(folder, 'vsftpd')
  const files = path.join(place, 'root/pub')
  await mkdir(files, { recursive: true })
  await mkdir('/var/run/vsftpd/empty', { recursive: true })
  for (const each of [folder, place, path.join(place, 'root')]) await chmod(each, 0o755)
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, 'ftp'], { encoding: 'utf8' })),
  )
  await chown(files, uid!, gid!)
  const port = await freePort()
  const settings = [
    'listen=YES',
    'listen_address=127.0.0.1',
    `listen_port=${port}`,
    'background=NO',
    'anonymous_enable=YES',
    'no_anon_password=YES',
    'write_enable=YES',
    'anon_upload_enable=YES',
    'anon_other_write_enable=YES',
    'anon_umask=022',
    `anon_root=${path.join(place, 'root')}`,
    'seccomp_sandbox=NO',
    'xferlog_enable=NO',
  ]
  await writeFile(path.join(place, 'config'), settings.join('\n') + '\n', { mode: 0o600 })
  const child = spawn(vsftpd, [path.join(place, 'config')], { stdio: 'ignore' })
  return started(child, port, files)
}

async function started(child: ChildProcess, port: number, folder: string): Promise<OtherServer> {
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    await gone
  }
  for (const until = Date.now() + 10_000; ;) {
    if (await answers(port)) return { port, folder, stop }
    if (Date.now() > until || child.exitCode !== null)
      throw new Error(`A reference server did not start (port ${port})`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => (socket.destroy(), resolve(true)))
    socket.once('error', () => resolve(false))
  })
