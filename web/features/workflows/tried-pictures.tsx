// The picture of a file before and after a trial.
import { useEffect, useState } from 'react'
import { useFile, useFileBytes } from '../../shell/client/queries.ts'
import { type TriedFile } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'

/** Larger images are not fetched for a small picture. */
const LARGEST = 2 * 1024 ** 2

/** The pictures before and after, if the trial made an image. */
export function TriedPictures({ file: { file_id, picture } }: { file: TriedFile }) {
  if (!picture) return null
  return (
    <div className="tried-pictures">
      <Before id={file_id} />
      <figure>
        {/* An <img> never runs scripts, even from hostile bytes. */}
        <img src={`data:${picture.content_type};base64,${picture.base64}`} alt="" />
        <figcaption>{t('After', {}, 'picture')}</figcaption>
      </figure>
    </div>
  )
}

function Before({ id }: { id: string }) {
  const { data: file } = useFile(id)
  const fits =
    file !== undefined && file.size_bytes <= LARGEST && file.content_type.startsWith('image/')
  const { data: bytes } = useFileBytes(id, file?.version ?? 0, fits)
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!bytes) return
    const made = URL.createObjectURL(bytes)
    // oxlint-disable-next-line react/set-state-in-effect -- the URL lives until clean-up
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes])
  if (url === null) return null
  return (
    <figure>
      <img src={url} alt="" />
      <figcaption>{t('Before', {}, 'picture')}</figcaption>
    </figure>
  )
}
