// Files that are dropped anywhere in the window, for a page or the whole app.
import { useEffect, useState } from 'react'
import { type ChosenFile, droppedFiles } from './chosen-files.ts'
import './window-drop.css'
import { isDialogOpen } from '../url-state/dialog-open.ts'
import { useStable } from './use-stable.ts'

interface Props {
  /** Shown over the page while files are dragged: `Drop the files to upload them` */
  text: string
  isFor: () => boolean
  onFiles: (files: readonly ChosenFile[]) => void
}

/** Takes the files of every drop that `isFor` accepts. The browser opens none. */
export function WindowDrop({ text, isFor, onFiles }: Props) {
  return (
    useWindowDrop(isFor, onFiles) && (
      <div className="window-drop" role="status">
        {text}
      </div>
    )
  )
}

/** A page that takes drops itself: those for the whole app leave it alone. */
export const PageDrop = (props: Omit<Props, 'isFor'>) => (
  <>
    <span hidden data-takes-drops />
    <WindowDrop isFor={isForPage} {...props} />
  </>
)

const isForPage = (): boolean => !isDialogOpen()

/** Nothing on the page takes drops. */
export const isForApp = (): boolean =>
  document.querySelector('.drop-area, [data-takes-drops]') === null

/** Returns whether files that `isFor` accepts are being dragged over the window. */
function useWindowDrop(
  isFor: () => boolean,
  onFiles: (files: readonly ChosenFile[]) => void,
): boolean {
  const [over, setOver] = useState(false)
  const takes = useStable(isFor)
  const take = useStable(onFiles)
  useEffect(() => {
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true
    const onDrag = (event: DragEvent) => {
      if (!hasFiles(event)) return
      // Prevents the browser from opening the file instead of the page, also where nothing takes it.
      event.preventDefault()
      setOver(takes())
    }
    // Without a related target the pointer has left the window.
    const onLeave = (event: DragEvent) => event.relatedTarget === null && setOver(false)
    const onDrop = (event: DragEvent) => {
      setOver(false)
      if (!hasFiles(event) || !event.dataTransfer) return
      event.preventDefault()
      if (!takes()) return
      void droppedFiles(event.dataTransfer).then((files) => files.length > 0 && take(files))
    }
    const listeners = { dragenter: onDrag, dragover: onDrag, dragleave: onLeave, drop: onDrop }
    const each = Object.entries(listeners) as [keyof typeof listeners, (event: DragEvent) => void][]
    for (const [name, listener] of each) window.addEventListener(name, listener)
    return () => {
      for (const [name, listener] of each) window.removeEventListener(name, listener)
    }
  }, [takes, take])
  return over
}
