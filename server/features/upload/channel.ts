// The upload channel: files that a merchant's browser, or a program, sends in pieces over tus.
import type { ImportChannel } from '../workflows/channel.ts'

export const uploadChannel: ImportChannel = {
  id: 'upload',
  title: 'Upload',
  imports: { title: 'Upload', plural: 'Uploads' },
}
