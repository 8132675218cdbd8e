// Pictures of image files: on a file's page, and small ones in lists. Large images are not fetched
// for them.
import { useEffect, useState } from 'react'
import { useFileBytes, useFilePreview } from '../../shell/client/queries.ts'
import { type File } from '../../shell/client/types.ts'
import { FileIcon } from '../../shell/files/icon.tsx'
import { ApiError } from '../../shell/client/error.ts'
import { Card, Hint } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

const SHOWN = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif', 'image/svg+xml']
const LARGEST = 2 * 1024 ** 2

/** The picture on a file's page: a small image itself, or the preview of another file. */
export function Picture({ file }: { file: File }) {
  const type = file.content_type.split(';')[0]!.trim().toLowerCase()
  const whole = SHOWN.includes(type) && file.size_bytes <= LARGEST
  const bytes = useFileBytes(file.id, file.version, whole)
  const preview = useFilePreview(file.id, file.version, !whole && PREVIEWED.test(type))
  if (whole && !bytes.error)
    return <Bytes key={file.version} bytes={bytes.data} type={type} name={file.filename} />
  if (preview.error instanceof ApiError && preview.error.code === 'ffmpeg_missing')
    return (
      <Hint>
        {t('No preview: videos have one where ffmpeg is installed. Your operator can install it.')}
      </Hint>
    )
  return preview.data || preview.isLoading ? (
    <Bytes key={file.version} bytes={preview.data} type="image/webp" name={file.filename} />
  ) : null
}

const PREVIEWED =
  /^(image\/(jpeg|png|gif|webp|avif|tiff|heif|heic)|application\/pdf|audio\/.+|video\/.+)(;|$)/i

/** The picture in a list: the file's preview, or the icon of its kind. */
export function Thumbnail({ file }: { file: File }) {
  const { id, version, filename, content_type, deleted_at } = file
  const wanted = PREVIEWED.test(content_type) && deleted_at === null
  const { data } = useFilePreview(id, version, wanted)
  const url = useAddress(data, 'image/webp')
  return url === null ? (
    <FileIcon filename={filename} contentType={content_type} />
  ) : (
    <img className="file-thumbnail" src={url} alt="" />
  )
}

function useAddress(bytes: Blob | undefined, type: string) {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!bytes) return undefined
    // An <img> never runs scripts, even from hostile bytes; the type was checked above.
    const made = URL.createObjectURL(new Blob([bytes], { type }))
    // oxlint-disable-next-line react/set-state-in-effect -- the URL lives until clean-up
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes, type])
  return url
}

/** `bytes`: undefined while they load. */
function Bytes({ bytes, type, name }: { bytes: Blob | undefined; type: string; name: string }) {
  const url = useAddress(bytes, type)
  const [broken, setBroken] = useState(false)
  if (broken) return null
  return (
    <Card>
      <div className="file-picture">
        {url !== null && (
          <img src={url} alt={t('Preview of {name}', { name })} onError={() => setBroken(true)} />
        )}
      </div>
    </Card>
  )
}
