// Creates a download link for each chosen file. Those of a few files are shown immediately; for
// many files, an operation writes them into a list.
import { useState, useEffect } from 'react'
import type { DownloadLink } from '../../../shell/client/types.ts'
import { Dialog } from '../../../shell/components/dialog.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { Checkbox, Banner, Button, InlineStack, SmallPrint, Text } from '../../../shell/ui/index.ts'
import { t } from '../../../shell/messages/t.ts'
import { saveBytes } from '../../../shell/client/save.ts'
import { Code, Copy } from '../../../shell/components/copy.tsx'
import { actionName } from '../../../shell/labels/action-name.ts'
import { useCreateLinks, useEmailLinks } from '../../links/calls.ts'
import { linkTerms, notSentText } from '../../links/labels.ts'
import { linksCsv } from '../../links/list-labels.ts'
import { textsOf } from './action-texts.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import type { EntryProps } from './entry-props.ts'
import { LinkTermsFields } from './link-terms.tsx'
import { EMPTY_LINKS, type LinksForm, readLinks } from './links-form.ts'
import { type FormReading, useForm } from './use-form.ts'

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

// New links: copied, saved as a list or sent, one by one or all together.

interface Props {
  links: readonly DownloadLink[]
  /** Sends them immediately. */
  send: boolean
  onClose: () => void
}

function MadeLinks({ links, send, onClose }: Props) {
  const mail = useEmailLinks()
  const addressed = links.filter(({ email }) => email !== null)
  const { mutate } = mail
  useEffect(() => {
    if (send) mutate(links.map(({ id }) => id))
  }, [send, links, mutate])
  const save = () =>
    saveBytes(new Blob([linksCsv(links)], { type: 'text/csv' }), 'download-links.csv')
  return (
    <Dialog
      title={t('{count, plural, one {# download link} other {# download links}} created', {
        count: links.length,
      })}
      onClose={onClose}
      primaryAction={{ content: t('Done'), onAction: onClose }}
    >
      {mail.error && <Problem error={mail.error} what={t('The links could not be sent')} />}
      {mail.data && <Sent mailed={mail.data} />}
      <InlineStack gap="200">
        <Copy
          text={links.map(({ url }) => url).join('\n')}
          what={t('all links')}
          label={t('Copy all')}
        />
        <Button size="slim" onClick={save}>
          {t('Save as CSV')}
        </Button>
        {addressed.length > 0 && (
          <Button
            size="slim"
            loading={mail.isPending && mail.variables.length > 1}
            onClick={() => mutate(addressed.map(({ id }) => id))}
          >
            {t('Email all')}
          </Button>
        )}
      </InlineStack>
      <ul className="made-links">
        {links.map((link) => (
          <MadeLinkRow key={link.id} link={link} onMail={() => mutate([link.id])} />
        ))}
      </ul>
    </Dialog>
  )
}

function Sent({
  mailed: { queued, skipped },
}: {
  mailed: { queued: number; skipped: { reason: string }[] }
}) {
  return (
    <Banner tone={skipped.length > 0 ? 'warning' : 'success'}>
      <p>
        {[
          queued > 0 &&
            t('{queued, plural, one {# link is} other {# links are}} being sent by email.', {
              queued,
            }),
          skipped.length > 0 && notSentText(skipped),
        ]
          .filter(Boolean)
          .join(' ')}
      </p>
    </Banner>
  )
}

function MadeLinkRow({ link, onMail }: { link: DownloadLink; onMail: () => void }) {
  const { url, filename, email, ...terms } = link
  return (
    <li>
      <InlineStack align="space-between" blockAlign="center" gap="200">
        <Text as="span" fontWeight="medium" breakWord>
          {filename}
        </Text>
        {email !== null && (
          <Button
            variant="plain"
            accessibilityLabel={actionName(t('Send to {email}', { email }), filename)}
            onClick={onMail}
          >
            {t('Send to {email}', { email })}
          </Button>
        )}
      </InlineStack>
      {url !== null && <Code text={url} what={t('link to {filename}', { filename })} wrap />}
      <SmallPrint>{linkTerms(terms)}</SmallPrint>
    </li>
  )
}
