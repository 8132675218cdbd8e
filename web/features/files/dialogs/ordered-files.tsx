// Files in the merchant's order: dragged, or moved by buttons or Alt and the arrow keys.
import { type DragEvent, type KeyboardEvent, useState } from 'react'
import { type File } from '../../../shell/client/types.ts'
import {
  ArrowDownIcon,
  ArrowUpIcon,
  Button,
  DragHandleIcon,
  Icon,
  Text,
} from '../../../shell/ui/index.ts'
import { sizeText } from '../../../shell/labels/size.ts'
import './ordered-files.css'
import { t } from '../../../shell/messages/t.ts'

interface Props {
  label: string
  files: readonly File[]
  onOrder: (files: readonly File[]) => void
}

/** The list with the element at `from` moved to `to`. */
function movedTo<T>(list: readonly T[], from: number, to: number): readonly T[] {
  if (to < 0 || to >= list.length || from === to) return list
  const rest = list.toSpliced(from, 1)
  return rest.toSpliced(to, 0, list[from]!)
}

export function OrderedFiles({ label, files, onOrder }: Props) {
  const [dragged, setDragged] = useState<number | null>(null)
  const [said, setSaid] = useState('')
  const move = (from: number, to: number) => {
    const next = movedTo(files, from, to)
    if (next === files) return
    onOrder(next)
    setSaid(
      t('{filename} is number {to} of {count}', {
        filename: files[from]!.filename,
        to: to + 1,
        count: files.length,
      }),
    )
  }
  return (
    <>
      <ol className="ordered" aria-label={label}>
        {files.map((file, at) => (
          <Row
            key={file.id}
            file={file}
            at={at}
            last={at === files.length - 1}
            dragged={dragged === at}
            onMove={(to) => move(at, to)}
            onDrag={() => setDragged(at)}
            onOver={() => {
              // Moved while it is dragged, so that its new place is visible.
              if (dragged === null || dragged === at) return
              move(dragged, at)
              setDragged(at)
            }}
            onDrop={() => setDragged(null)}
          />
        ))}
      </ol>
      <div role="status">
        <Text as="span" visuallyHidden>
          {said}
        </Text>
      </div>
    </>
  )
}

interface RowProps {
  file: File
  at: number
  last: boolean
  dragged: boolean
  onMove: (to: number) => void
  onDrag: () => void
  onOver: () => void
  onDrop: () => void
}

function Row({ file, at, last, dragged, onMove, onDrag, onOver, onDrop }: RowProps) {
  const press = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
    if (!event.altKey || by === 0) return
    event.preventDefault()
    onMove(at + by)
  }
  return (
    <li
      className={dragged ? 'dragged' : undefined}
      draggable
      onDragStart={(event: DragEvent) => {
        event.dataTransfer.effectAllowed = 'move'
        event.dataTransfer.setData('text/plain', file.filename)
        onDrag()
      }}
      onDragOver={(event) => {
        event.preventDefault()
        onOver()
      }}
      onDrop={(event) => {
        event.preventDefault()
        onDrop()
      }}
      onDragEnd={onDrop}
      onKeyDown={press}
    >
      <span className="ordered-handle">
        <Icon source={DragHandleIcon} tone="subdued" />
      </span>
      <span className="ordered-number">{at + 1}</span>
      <span className="ordered-name">
        <Text as="span" breakWord>
          {file.filename}
        </Text>
        <Text as="span" variant="bodySm" tone="subdued">
          {sizeText(file.size_bytes)}
        </Text>
      </span>
      <Button
        variant="tertiary"
        icon={ArrowUpIcon}
        disabled={at === 0}
        accessibilityLabel={t('Move {filename} up', { filename: file.filename })}
        onClick={() => onMove(at - 1)}
      />
      <Button
        variant="tertiary"
        icon={ArrowDownIcon}
        disabled={last}
        accessibilityLabel={t('Move {filename} down', { filename: file.filename })}
        onClick={() => onMove(at + 1)}
      />
    </li>
  )
}
