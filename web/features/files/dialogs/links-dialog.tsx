// Creates a download link for each chosen file. Those of a few files are shown immediately; for
// many files, an operation writes them into a list.
import { useState } from 'react'
import { useCreateLinks } from '../../links/calls.ts'
import { type DownloadLink } from '../../../shell/client/types.ts'
import { Dialog } from '../../../shell/components/dialog.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { Checkbox } from '../../../shell/ui/index.ts'
import { textsOf } from './action-texts.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import { type EntryProps } from './entry-props.ts'
import { LinkTermsFields } from './link-terms.tsx'
import { EMPTY_LINKS, type LinksForm, readLinks } from './links-form.ts'
import { MadeLinks } from './made-links.tsx'
import { type FormReading, useForm } from './use-form.ts'
import { t } from '../../../shell/messages/t.ts'

/** Links for more files are created by an operation. */
const MAX_IN_REQUEST = 100
const FIELDS = {
  expiry_days: 'days',
  download_limit: 'downloads',
  per_file: 'custom',
  password: 'password',
}

export function LinksDialog(props: EntryProps) {
  const { known, count } = props.chosen
  return known && count <= MAX_IN_REQUEST ? <FewLinks {...props} /> : <ManyLinks {...props} />
}

function FewLinks({ entry, chosen, onClose }: EntryProps) {
  const create = useCreateLinks()
  const [made, setMade] = useState<DownloadLink[] | null>(null)
  const { form, change, errors, error, attempt } = useForm<LinksForm>({
    initial: EMPTY_LINKS,
    read: readLinks,
    fields: FIELDS,
    sent: create,
  })
  const submit = () => {
    const terms = attempt()
    if (!terms || create.isPending) return
    const file_ids = chosen.files.map(({ id }) => id)
    create.mutate(
      { file_ids, ...terms },
      { onSuccess: (reply) => 'data' in reply && setMade(reply.data) },
    )
  }
  const texts = textsOf(entry, chosen, {})
  if (made) return <MadeLinks links={made} send={form.send} onClose={onClose} />
  return (
    <Dialog
      title={texts.title}
      onClose={onClose}
      primaryAction={{
        content: texts.button(chosen.count),
        loading: create.isPending,
        onAction: submit,
      }}
      onEnter={submit}
    >
      {error && <Problem error={error} what={t('The links could not be created')} />}
      <LinkTermsFields form={form} errors={errors} files={chosen.files} onChange={change} />
      <SendEmail form={form} onChange={change} />
    </Dialog>
  )
}

function ManyLinks({ entry, ...props }: EntryProps) {
  const { form, change, errors, bulk } = useForm<LinksForm>({
    initial: EMPTY_LINKS,
    read: readWithSending,
    fields: FIELDS,
  })
  const texts = textsOf(entry, props.chosen, {})
  return (
    <BulkDialog
      {...props}
      {...bulk(entry.plugin.id)}
      title={texts.title}
      run={texts.button}
      preview="none"
      note={t(
        'More than {count, number} links are created in the background. You can then download the list as a CSV.',
        { count: MAX_IN_REQUEST },
      )}
    >
      <LinkTermsFields form={form} errors={errors} files={[]} onChange={change} />
      <SendEmail form={form} onChange={change} />
    </BulkDialog>
  )
}

function readWithSending(form: LinksForm): FormReading {
  const read = readLinks(form)
  return 'errors' in read ? read : { options: { ...read.options, send_emails: form.send } }
}

interface SendProps {
  form: LinksForm
  onChange: (part: Partial<LinksForm>) => void
}

const SendEmail = ({ form, onChange }: SendProps) => (
  <Checkbox
    label={t('Send the links to this address')}
    helpText={t('One email per link, sent when the links are created.')}
    checked={form.send}
    onChange={(send) => onChange({ send })}
  />
)
