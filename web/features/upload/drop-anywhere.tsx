// Files that are dropped on any page are uploaded, except where the page or a dialog has a drop area.
import { useEffect, useState } from 'react'
import { droppedFiles } from '../../shell/components/chosen-files.ts'
import { t } from '../../shell/messages/t.ts'
import { goTo } from '../../shell/url-state/leaving.ts'
import { handOver } from './dropped.ts'
import './drop-anywhere.css'

const UPLOAD_PAGE = '/import/upload'

export function DropAnywhere() {
  const [over, setOver] = useState(false)
  useEffect(() => {
    const onDrag = (event: DragEvent) => {
      if (!isForUs(event)) return
      // Prevents the browser from opening the file instead of the page.
      event.preventDefault()
      setOver(true)
    }
    // Without a related target the pointer has left the window.
    const onLeave = (event: DragEvent) => event.relatedTarget === null && setOver(false)
    const onDrop = (event: DragEvent) => {
      setOver(false)
      if (!isForUs(event) || !event.dataTransfer) return
      event.preventDefault()
      void droppedFiles(event.dataTransfer).then((files) => {
        if (files.length === 0) return
        handOver(files)
        goTo(UPLOAD_PAGE, () => handOver([]))
      })
    }
    const listeners = { dragenter: onDrag, dragover: onDrag, dragleave: onLeave, drop: onDrop }
    const each = Object.entries(listeners) as [keyof typeof listeners, (event: DragEvent) => void][]
    for (const [name, listener] of each) window.addEventListener(name, listener)
    return () => {
      for (const [name, listener] of each) window.removeEventListener(name, listener)
    }
  }, [])
  return (
    over && (
      <div className="drop-anywhere" role="status">
        {t('Drop the files to upload them')}
      </div>
    )
  )
}

const isForUs = ({ dataTransfer }: DragEvent): boolean =>
  dataTransfer?.types.includes('Files') === true && document.querySelector('.drop-area') === null
