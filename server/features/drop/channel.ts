// The drop channel: files that a merchant's programs send over SFTP and FTP.
import type { ImportChannel } from '../workflows/channel.ts'

export const dropChannel: ImportChannel = {
  id: 'drop',
  title: 'Drop folder',
  imports: { title: 'Drop folder import', plural: 'Files from the drop folder' },
}
