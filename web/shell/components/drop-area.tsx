// An area to drop files on, with buttons to choose them instead.
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { type ChosenFile, chosenFiles, droppedFiles } from './chosen-files.ts'
import { BlockStack, Button, InlineStack, Text } from '../ui/index.ts'
import './drop-area.css'
import { t } from '../messages/t.ts'

interface Props {
  /** `Drop files or a folder here` */
  title: string
  help?: ReactNode
  /** The label of the button. */
  choose: string
  /** Accepts several files and folders; otherwise a single file. */
  many?: boolean
  /** File types in the browser's dialog: `.csv`. */
  accept?: string
  busy?: boolean
  /** Smaller, because something else on the page is more important. */
  small?: boolean
  onFiles: (files: ChosenFile[]) => void
}

export function DropArea({
  title,
  help,
  choose,
  many = false,
  accept,
  busy = false,
  small = false,
  onFiles,
}: Props) {
  const [over, setOver] = useState(0)
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const take = (list: ChosenFile[]) => {
    if (!busy && list.length > 0) onFiles(many ? list : list.slice(0, 1))
  }
  const moved = (step: number) => (event: DragEvent) => {
    event.preventDefault()
    // Every element in the area sends its own enter and leave events.
    setOver((now) => Math.max(0, now + step))
  }
  const picked = (field: HTMLInputElement) => {
    take(chosenFiles(field.files ?? []))
    // Allows choosing the same file again.
    field.value = ''
  }
  return (
    <div
      className={`drop-area ${over > 0 ? 'over' : ''} ${small ? 'small' : ''}`}
      onDragEnter={moved(1)}
      onDragLeave={moved(-1)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        setOver(0)
        void droppedFiles(event.dataTransfer).then(take)
      }}
    >
      <BlockStack gap={small ? '200' : '300'} inlineAlign="center">
        <Text as="p" variant={small ? 'bodyMd' : 'headingMd'}>
          {title}
        </Text>
        <InlineStack gap="200" align="center">
          <Button variant="primary" loading={busy} onClick={() => files.current?.click()}>
            {choose}
          </Button>
          {many && <Button onClick={() => folder.current?.click()}>{t('Choose a folder')}</Button>}
        </InlineStack>
        {help && (
          <Text as="p" tone="subdued">
            {help}
          </Text>
        )}
      </BlockStack>
      <input
        ref={files}
        hidden
        type="file"
        aria-label={choose}
        multiple={many}
        accept={accept}
        onChange={({ target }) => picked(target)}
      />
      {many && (
        <input
          ref={folder}
          hidden
          type="file"
          aria-label={t('Choose a folder')}
          multiple
          {...{ webkitdirectory: '' }}
          onChange={({ target }) => picked(target)}
        />
      )}
    </div>
  )
}
