// An icon for a file's kind. Decorative: the kind is also shown in words.
import { t } from '../messages/t.ts'
import { extensionOf, familyOf } from './labels.ts'

interface Props {
  filename: string
  contentType?: string
  large?: boolean
}

export function FileIcon({ filename, contentType = '', large = false }: Props) {
  const extension = extensionOf(filename).slice(0, 4).toUpperCase()
  return (
    <span
      className={`file-icon ${familyOf(filename, contentType)} ${large ? 'large' : ''}`}
      aria-hidden="true"
    >
      {extension || t('FILE')}
    </span>
  )
}
