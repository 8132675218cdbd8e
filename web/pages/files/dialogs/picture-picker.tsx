// One picture out of the shop's own files.
import { useState } from 'react'
import { useFiles } from '../../../client/queries.ts'
import { LoadingRows } from '../../../components/lists.tsx'
import { FileIcon } from '../../../components/file-icon.tsx'
import { Problem } from '../../../components/problem.tsx'
import { useDebounced } from '../../../url-state/use-debounced.ts'
import { BlockStack, InlineError, Text, TextField } from '../../../ui/index.ts'
import { sizeText } from '../../../labels/size.ts'
import '../../../components/product-picker.css'

interface Picture {
  id: string
  filename: string
}

interface Props {
  picture: Picture | null
  error: string | undefined
  onPick: (picture: Picture) => void
}

const FIELD = 'watermark-picture'

export function PicturePicker({ picture, error, onPick }: Props) {
  const [search, setSearch] = useState('')
  const wanted = { type: ['png', 'jpg', 'jpeg', 'webp'], search: useDebounced(search.trim()), limit: 5 }
  const files = useFiles(wanted, false)
  const list = files.data?.data
  return (
    <BlockStack gap="200">
      <TextField
        id={FIELD}
        label="Search pictures among the files"
        autoComplete="off"
        clearButton
        onClearButtonClick={() => setSearch('')}
        value={search}
        onChange={setSearch}
      />
      {error && <InlineError message={error} fieldID={FIELD} />}
      {files.error && (
        <Problem error={files.error} what="The pictures could not be loaded" onRetry={() => void files.refetch()} />
      )}
      {files.isPending && <LoadingRows rows={3} what="pictures" />}
      {list?.length === 0 && (
        <Text as="p" tone="subdued">
          No picture matches. Upload one as a file first: PNG, JPEG or WebP.
        </Text>
      )}
      <div role="radiogroup" aria-label="Pictures" className="product-choices">
        {list?.map(({ id, filename, content_type, size_bytes }) => (
          <label key={id} className={`candidate ${picture?.id === id ? 'chosen' : ''}`}>
            <input type="radio" name="picture" checked={picture?.id === id} onChange={() => onPick({ id, filename })} />
            <FileIcon filename={filename} contentType={content_type} />
            <span className="candidate-text">
              <Text as="span" breakWord>
                {filename}
              </Text>
              <Text as="span" variant="bodySm" tone="subdued">
                {sizeText(size_bytes)}
              </Text>
            </span>
          </label>
        ))}
      </div>
    </BlockStack>
  )
}
