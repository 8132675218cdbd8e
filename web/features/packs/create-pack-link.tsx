// The dialog that creates a link to a pack, whose page shows the buyer all files.
import { useState } from 'react'
import { useCreatePackLink } from '../links/list-calls.ts'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { type Pack } from './calls.ts'
import { type DownloadLink } from '../../shell/client/types.ts'
import { useSettings } from '../../shell/client/settings.ts'
import { Code } from '../../shell/components/copy.tsx'
import { Dialog } from '../../shell/components/dialog.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Hint } from '../../shell/ui/index.ts'
import { linkTerms } from '../links/labels.ts'
import { LinkFields } from '../links/link-fields.tsx'
import {
  type LinkForm,
  type LinkFormErrors,
  linkProblems,
  packLinkFormFor,
  readLinkForm,
} from '../links/link-form.ts'
import { t } from '../../shell/messages/t.ts'

export function CreatePackLink({ pack, onClose }: { pack: Pack; onClose: () => void }) {
  const create = useCreatePackLink()
  const settings = useSettings()
  const [edited, setEdited] = useState<LinkForm | null>(null)
  const form = edited ?? (settings.data ? packLinkFormFor(settings.data) : null)
  const [errors, setErrors] = useState<LinkFormErrors>({})
  const made = create.data
  const refusal = create.error ? linkProblems(create.error) : null
  const allErrors = { ...refusal?.fields, ...errors }
  const submit = () => {
    if (!form) return
    const result = readLinkForm(form)
    setErrors('errors' in result ? result.errors : {})
    if ('link' in result) create.mutate({ pack_id: pack.id, ...result.link })
  }
  const change = (part: Partial<LinkForm>) => {
    if (form) setEdited({ ...form, ...part })
    setErrors({})
    if (create.error) create.reset()
  }
  if (made) return <PackLinkMade link={made} onClose={onClose} />
  return (
    <Dialog
      title={t('Create link to {name}', { name: pack.name })}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{
        content: t('Create link'),
        onAction: submit,
        loading: create.isPending,
        disabled: !form,
      }}
    >
      {refusal?.other && (
        <Problem error={refusal.other} what={t('The link could not be created')} />
      )}
      <Hint>
        {t(
          'The buyer sees {files, plural, one {# file} other {# files}}. The download limit applies to each file.',
          { files: pack.files },
        )}
      </Hint>
      {form && <LinkFields to="pack" form={form} errors={allErrors} onChange={change} />}
      {!form && !settings.error && <LoadingRows rows={3} what={t('the settings')} />}
      {!form && settings.error && (
        <LoadProblem query={settings} what={t('The settings could not be loaded')} />
      )}
    </Dialog>
  )
}

function PackLinkMade({ link, onClose }: { link: DownloadLink; onClose: () => void }) {
  return (
    <Dialog
      title={t('Link created')}
      onClose={onClose}
      primaryAction={{ content: t('Done'), onAction: onClose }}
    >
      {link.copy_url !== null && <Code text={link.copy_url} what={t('link')} wrap />}
      <Hint>{linkTerms(link)}</Hint>
    </Dialog>
  )
}
