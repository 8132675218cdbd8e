// The files in the trash: searched, restored, or deleted permanently.
import { FilesOf } from './files-page.tsx'
import { TRASH_IN_BROWSER } from './kept-rows.ts'

export const TrashPage = () => <FilesOf state={TRASH_IN_BROWSER} />
