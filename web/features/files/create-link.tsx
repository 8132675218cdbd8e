// The dialog that creates a link for a file and shows it, to be copied.
import { useState } from 'react'
import { useCreateLink } from '../../shell/client/queries.ts'
import { type DownloadLink, type FileDetail } from '../../shell/client/types.ts'
import { Code } from '../../shell/components/copy.tsx'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { BlockStack, Hint } from '../../shell/ui/index.ts'
import { linkTerms } from '../links/labels.ts'
import { LinkFields } from '../links/link-fields.tsx'
import {
  type LinkForm,
  type LinkFormErrors,
  linkFormFor,
  linkProblems,
  readLinkForm,
} from '../links/link-form.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  file: FileDetail
  onClose: () => void
}

export function CreateLink({ file, onClose }: Props) {
  const create = useCreateLink(file.id)
  const [form, setForm] = useState(() => linkFormFor(file))
  const [errors, setErrors] = useState<LinkFormErrors>({})
  const made = create.data
  const refusal = create.error ? linkProblems(create.error) : null
  const submit = () => {
    const result = readLinkForm(form)
    setErrors('errors' in result ? result.errors : {})
    if ('link' in result) create.mutate(result.link)
  }
  const change = (part: Partial<LinkForm>) => {
    setForm({ ...form, ...part })
    setErrors({})
    if (create.error) create.reset()
  }
  if (made)
    return (
      <Dialog
        title={t('Link created')}
        onClose={onClose}
        primaryAction={{ content: t('Done'), onAction: onClose }}
      >
        <Made link={made} />
      </Dialog>
    )
  return (
    <Dialog
      title={t('Create link')}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: t('Create link'), onAction: submit, loading: create.isPending }}
    >
      {refusal?.other && (
        <Problem error={refusal.other} what={t('The link could not be created')} />
      )}
      <LinkFields
        to="file"
        form={form}
        errors={{ ...refusal?.fields, ...errors }}
        onChange={change}
      />
    </Dialog>
  )
}

function Made({ link }: { link: DownloadLink }) {
  return (
    <BlockStack gap="300">
      {link.copy_url !== null && <Code text={link.copy_url} what={t('link')} wrap />}
      <Hint>{linkTerms(link)}</Hint>
    </BlockStack>
  )
}
