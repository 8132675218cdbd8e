// An area to drop files on, with buttons to choose them instead.
import { type DragEvent, type ReactNode, type RefObject, useRef, useState } from 'react'
import { type ChosenFile, chosenFiles, droppedFiles } from './chosen-files.ts'
import { BlockStack, Button, Hint, InlineStack, Text } from '../ui/index.ts'
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
        {help && <Hint>{help}</Hint>}
      </BlockStack>
      <FileInput field={files} label={choose} multiple={many} accept={accept} onFiles={take} />
      {many && <FileInput field={folder} label={t('Choose a folder')} folder onFiles={take} />}
    </div>
  )
}

interface InputProps {
  field: RefObject<HTMLInputElement>
  label: string
  multiple?: boolean
  accept?: string
  /** The browser's dialog chooses a folder with all its files. */
  folder?: boolean
  onFiles: (files: ChosenFile[]) => void
}

/** The hidden field that opens the browser's dialog. */
const FileInput = ({ field, label, multiple, accept, folder = false, onFiles }: InputProps) => (
  <input
    ref={field}
    hidden
    type="file"
    aria-label={label}
    multiple={multiple || folder}
    accept={accept}
    {...(folder ? { webkitdirectory: '' } : {})}
    onChange={({ target }) => {
      onFiles(chosenFiles(target.files ?? []))
      // Allows choosing the same file again.
      target.value = ''
    }}
  />
)
