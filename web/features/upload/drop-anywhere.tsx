// Files that are dropped on any page are uploaded, except where the page or a dialog takes them.
import { t } from '../../shell/messages/t.ts'
import { useWindowDrop } from '../../shell/components/window-drop.ts'
import { goTo } from '../../shell/url-state/leaving.ts'
import { handOver } from './dropped.ts'
import './drop-anywhere.css'

const UPLOAD_PAGE = '/import/upload'

export function DropAnywhere() {
  const over = useWindowDrop(isForUs, (files) => {
    handOver(files)
    goTo(UPLOAD_PAGE, () => handOver([]))
  })
  return (
    over && (
      <div className="drop-anywhere" role="status">
        {t('Drop the files to upload them')}
      </div>
    )
  )
}

const isForUs = (): boolean => document.querySelector('.drop-area, [data-takes-drops]') === null
