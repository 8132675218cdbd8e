// A thumbnail of an image file. Large images are not fetched for it.
import { useEffect, useState } from 'react'
import { useFileBytes } from '../../shell/client/queries.ts'
import { type File } from '../../shell/client/types.ts'
import { Card } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

const SHOWN = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif', 'image/svg+xml']
const LARGEST = 2 * 1024 ** 2

export function Picture({ file }: { file: File }) {
  const type = file.content_type.split(';')[0]!.trim().toLowerCase()
  const wanted = SHOWN.includes(type) && file.size_bytes <= LARGEST
  const { data } = useFileBytes(file.id, file.version, wanted)
  return wanted && data ? <Bytes bytes={data} type={type} name={file.filename} /> : null
}

function Bytes({ bytes, type, name }: { bytes: Blob; type: string; name: string }) {
  const [url, setUrl] = useState<string | null>(null)
  const [broken, setBroken] = useState(false)
  useEffect(() => {
    // An <img> never runs scripts, even from hostile bytes; the type was checked above.
    const made = URL.createObjectURL(new Blob([bytes], { type }))
    // oxlint-disable-next-line react/set-state-in-effect -- the URL lives until clean-up
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes, type])
  if (url === null || broken) return null
  return (
    <Card>
      <img
        className="file-picture"
        src={url}
        alt={t('Preview of {name}', { name })}
        onError={() => setBroken(true)}
      />
    </Card>
  )
}
