// Files that are dropped on any page are uploaded, except where the page or a dialog takes them.
import { t } from '../../shell/messages/t.ts'
import { isForApp, WindowDrop } from '../../shell/components/window-drop.tsx'
import { uploadFiles } from './dropped.ts'

export const DropAnywhere = () => (
  <WindowDrop text={t('Drop the files to upload them')} isFor={isForApp} onFiles={uploadFiles} />
)
