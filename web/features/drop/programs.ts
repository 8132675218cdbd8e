/* oxlint-disable house/translated-texts -- commands for a terminal are not translated */
// How to connect with each program: steps for those with windows, commands for terminals. The
// commands ask for the password, so that it stays out of the shell's history.
import { type ConnectValues } from './labels.ts'
import { t } from '../../shell/messages/t.ts'

export interface Program {
  id: string
  name: string
  /** Steps to follow, in order. */
  steps: (values: ConnectValues) => readonly string[]
  commands?: (values: ConnectValues) => readonly { what: string; text: string }[]
}

const values = ({ host, sftp_port, ftp_port, path, username }: ConnectValues) => ({
  host,
  path,
  username,
  // Ports are texts, so that they have no thousands separator.
  sftp: String(sftp_port),
  ftp: String(ftp_port),
})

export const PROGRAMS: readonly Program[] = [
  {
    id: 'filezilla',
    name: 'FileZilla',
    steps: (known) => [
      t('Open File → Site Manager and choose New site.'),
      t('Protocol: SFTP. Host: {host}. Port: {sftp}.', values(known)),
      t('Logon type: Ask for password. User: {username}.', values(known)),
      t('Under Advanced, set the default remote directory to {path}', values(known)),
      t('Under Transfer settings, 4 simultaneous connections are a good start.'),
      t('Connect, accept the host key, and drag your files to the right side.'),
    ],
  },
  {
    id: 'winscp',
    name: 'WinSCP',
    steps: (known) => [
      t('Open WinSCP and choose New site.'),
      t('File protocol: SFTP. Host name: {host}. Port number: {sftp}.', values(known)),
      t('User name: {username}. Leave the password empty: WinSCP asks for it.', values(known)),
      t('Under Advanced → Directories, set the remote directory to {path}', values(known)),
      t('Log in, accept the host key, and drag your files to the right side.'),
    ],
  },
  {
    id: 'cyberduck',
    name: 'Cyberduck',
    steps: (known) => [
      t('Choose Open Connection, then SFTP (SSH File Transfer Protocol).'),
      t('Server: {host}. Port: {sftp}. Username: {username}.', values(known)),
      t('Under More Options, set the path to {path}', values(known)),
      t('Connect, allow the fingerprint, and drag your files into the window.'),
    ],
  },
  {
    id: 'curl',
    name: 'curl',
    steps: () => [
      t('Run one of these in a terminal. curl asks for the password.'),
      t('curl checks the host key in ~/.ssh/known_hosts: connect with sftp once to add it.'),
      t('FTP starts in the upload path. Add -k if the certificate of the server is self-signed.'),
    ],
    commands: ({ host, sftp_port, ftp_port, path, username }) => [
      { what: t('sftp command'), text: `sftp -P ${sftp_port} ${username}@${host}` },
      {
        what: t('curl command for SFTP'),
        text: `curl --user ${username} -T 'course.pdf' 'sftp://${host}:${sftp_port}${path}'`,
      },
      {
        what: t('curl command for FTP over TLS'),
        text: `curl --ssl-reqd --user ${username} -T 'course.pdf' 'ftp://${host}:${ftp_port}/'`,
      },
    ],
  },
  {
    id: 'lftp',
    name: 'lftp',
    steps: () => [
      t('Run this in a terminal. lftp asks for the password and sends the folder “files”.'),
      t('After an interruption run it again: it resumes, and skips what has arrived.'),
    ],
    commands: ({ host, sftp_port, path, username }) => [
      {
        what: t('lftp command'),
        text: `lftp -u ${username} -e 'mirror -R -c --parallel=4 files ${path}; bye' sftp://${host}:${sftp_port}`,
      },
    ],
  },
  {
    id: 'rclone',
    name: 'rclone',
    steps: () => [
      t('Add a remote once; rclone asks for the password with each run.'),
      t('Then copy a folder. Run it again after an interruption: it skips what has arrived.'),
    ],
    commands: ({ host, sftp_port, path, username }) => [
      {
        what: t('rclone command that adds the remote'),
        text: `rclone config create stevedore sftp host=${host} port=${sftp_port} user=${username} ask_password=true`,
      },
      {
        what: t('rclone command that copies a folder'),
        text: `rclone copy files stevedore:${path} --progress`,
      },
    ],
  },
]
