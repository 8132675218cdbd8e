// Adds files to one order: files of the shop, and new ones that are for this buyer alone.
import { useEffect, useRef, useState } from 'react'
import { linkFilename, shortcutText } from '../../../plugins/_page/link-file.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { DropArea } from '../../shell/components/drop-area.tsx'
import { isCountOrNone } from '../../shell/components/counts.ts'
import { NumberField, type NumberValue } from '../../shell/components/number-field.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { useSettings } from '../../shell/client/settings.ts'
import { type ChosenFiles, FileSearch } from '../../shell/files/file-search.tsx'
import { linkText } from '../../shell/files/link-text.ts'
import { actionName } from '../../shell/labels/action-name.ts'
import { scoreText, sizeText } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'
import {
  BlockStack,
  Button,
  Checkbox,
  Hint,
  InlineStack,
  Text,
  TextField,
} from '../../shell/ui/index.ts'
import { MailPreview } from '../mail/mail-preview.tsx'
import { type AddedToOrder, type DeliveryDetail, useAddToOrder } from './calls.ts'
import { GRANTED_DAYS, GRANTED_DOWNLOADS } from './labels.ts'

/** The order that gets the files. */
export interface Recipient {
  order_id: string
  order_name: string
  email: string | null
  /** The platform's; null: unknown. */
  phone: string | null
  locale: string | null
  /** Files that the buyer has already. */
  has: readonly string[]
}

export const recipientOf = ({ file_list, ...delivery }: DeliveryDetail): Recipient => ({
  ...delivery,
  has: file_list.flatMap(({ file_id, status }) => (status === 'withdrawn' ? [] : file_id)),
})

interface Props {
  to: Recipient
  onClose: () => void
  onAdded: (added: AddedToOrder) => void
}

const MAX_DAYS = 36_500
const MAX_DOWNLOADS = 1_000_000_000

/** Undefined: each file has its own. */
interface Terms {
  days: NumberValue
  downloads: NumberValue
}

const isTerm = (value: NumberValue, most: number) =>
  value === undefined || isCountOrNone(value, most)
const countOf = (value: NumberValue) => (value === null || value === undefined ? value : +value)

/** The fields of the terms, and their values once they are right. */
function useTerms() {
  const [terms, setTerms] = useState<Terms>({ days: undefined, downloads: undefined })
  const [tried, setTried] = useState(false)
  const wrong = {
    days: !isTerm(terms.days, MAX_DAYS),
    downloads: !isTerm(terms.downloads, MAX_DOWNLOADS),
  }
  const read = () => {
    setTried(true)
    if (wrong.days || wrong.downloads) return null
    const [expiry_days, download_limit] = [countOf(terms.days), countOf(terms.downloads)]
    return {
      ...(expiry_days === undefined ? {} : { expiry_days }),
      ...(download_limit === undefined ? {} : { download_limit }),
    }
  }
  const fieldOf = (name: keyof Terms) => ({
    value: terms[name],
    onChange: (value: NumberValue) => setTerms({ ...terms, [name]: value }),
    ...(tried && wrong[name] ? { error: t('Enter a whole number above 0') } : {}),
  })
  return { read, fieldOf }
}

function useAddition({ to, onClose, onAdded }: Props) {
  const add = useAddToOrder(to.order_id)
  const [chosen, setChosen] = useState<ChosenFiles>(new Map())
  const [fresh, setFresh] = useState<readonly File[]>([])
  const { read, fieldOf } = useTerms()
  const [tell, setTell] = useState(true)
  const [sent, setSent] = useState(0)
  const sending = useRef(new AbortController())
  // A closed dialog sends nothing more.
  useEffect(() => () => sending.current.abort(), [])
  const texts = useSettings().data?.text_buyers === true
  const contact = to.email ?? (texts ? to.phone : null)
  const count = chosen.size + fresh.length
  const submit = () => {
    const terms = read()
    if (terms === null || count === 0 || add.isPending) return
    sending.current = new AbortController()
    add.mutate(
      {
        ids: [...chosen.keys()],
        fresh,
        terms,
        tell: tell && contact !== null,
        signal: sending.current.signal,
        onProgress: setSent,
      },
      {
        onSuccess: (added) => {
          onAdded(added)
          onClose()
        },
      },
    )
  }
  const files = { chosen, setChosen, fresh, setFresh, count }
  return { add, ...files, tell, setTell, contact, sent, submit, fieldOf }
}

export function AddFilesDialog(props: Props) {
  const { to, onClose } = props
  const addition = useAddition(props)
  const { add, chosen, setChosen, fresh, setFresh, count, sent, submit, fieldOf } = addition
  const bytes = fresh.reduce((sum, { size }) => sum + size, 0)
  return (
    <Dialog
      title={t('Add files to order {name}', { name: to.order_name })}
      onClose={onClose}
      onEnter={submit}
      why={count === 0 ? t('Choose a file first.') : null}
      primaryAction={{
        content: t('{files, plural, =0 {Add files} one {Add # file} other {Add # files}}', {
          files: count,
        }),
        loading: add.isPending,
        onAction: submit,
      }}
    >
      {add.error && <Problem error={add.error} what={t('The files could not be added')} />}
      <FileSearch
        chosen={chosen}
        onChoose={setChosen}
        detailOf={({ id, size_bytes }) =>
          to.has.includes(id)
            ? t('{size}, the buyer has it already', { size: sizeText(size_bytes) })
            : sizeText(size_bytes)
        }
        isThere={({ id }) => to.has.includes(id)}
      />
      <DropArea
        small
        many
        title={t('Or drop files that were made for this buyer')}
        help={t('No product gets them, and no other buyer.')}
        choose={t('Choose files')}
        onFiles={(files) => setFresh([...fresh, ...files.map(({ data }) => data)])}
      />
      <FreshLink onAdd={(link) => setFresh([...fresh, link])} busy={add.isPending} />
      <FreshFiles files={fresh} busy={add.isPending} onChange={setFresh} />
      {add.isPending && bytes > 0 && (
        <Text as="p">
          <span role="status">{t('{percent} sent', { percent: scoreText(sent / bytes) })}</span>
        </Text>
      )}
      <TermFields fieldOf={fieldOf} />
      <Tell {...addition} to={to} />
    </Dialog>
  )
}

const TermFields = ({ fieldOf }: Pick<ReturnType<typeof useTerms>, 'fieldOf'>) => (
  <>
    <NumberField
      label={t('Expires, counted from now')}
      none={t('Never')}
      keep={t('As each file says')}
      optional
      start={GRANTED_DAYS}
      suffix={t('days')}
      {...fieldOf('days')}
    />
    <NumberField
      label={t('Downloads')}
      none={t('Any number')}
      keep={t('As each file says')}
      optional
      start={GRANTED_DOWNLOADS}
      {...fieldOf('downloads')}
    />
  </>
)

/** A link for this buyer alone: its file is made here, and sent as the others are. */
function FreshLink({ onAdd, busy }: { onAdd: (link: File) => void; busy: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [address, setAddress] = useState('')
  const [tried, setTried] = useState(false)
  const add = () => {
    setTried(true)
    if (name.trim() === '' || linkText(address.trim()) !== null) return
    onAdd(new File([shortcutText(address.trim())], linkFilename(name.trim())))
    setName('')
    setAddress('')
    setTried(false)
    setOpen(false)
  }
  if (!isOpen)
    return (
      <div>
        <Button variant="plain" disabled={busy} onClick={() => setOpen(true)}>
          {t('Or add a link for this buyer')}
        </Button>
      </div>
    )
  return (
    <BlockStack gap="300">
      <TextField
        label={t('Name of the link')}
        autoFocus
        value={name}
        error={tried && name.trim() === '' ? t('Enter a name') : undefined}
        onChange={setName}
      />
      <TextField
        label={t('Address')}
        type="url"
        placeholder="https://courses.example.com/lino"
        value={address}
        error={tried ? (linkText(address.trim()) ?? undefined) : undefined}
        onChange={setAddress}
      />
      <InlineStack gap="200">
        <Button onClick={add}>{t('Add link')}</Button>
        <Button variant="plain" onClick={() => setOpen(false)}>
          {t('Cancel')}
        </Button>
      </InlineStack>
    </BlockStack>
  )
}

interface FreshProps {
  files: readonly File[]
  busy: boolean
  onChange: (files: readonly File[]) => void
}

/** The new files, which are sent with the button of the dialog. */
const FreshFiles = ({ files, busy, onChange }: FreshProps) =>
  files.length > 0 && (
    <ul className="bullets" aria-label={t('New files for this buyer')}>
      {files.map((file, at) => (
        <li key={`${at}/${file.name}`}>
          <InlineStack gap="200" blockAlign="center">
            <Text as="span" breakWord>
              {t('{name}, {size}', { name: file.name, size: sizeText(file.size) })}
            </Text>
            {!busy && (
              <Button
                variant="plain"
                accessibilityLabel={actionName(t('Remove'), file.name)}
                onClick={() => onChange(files.filter((one) => one !== file))}
              >
                {t('Remove')}
              </Button>
            )}
          </InlineStack>
        </li>
      ))}
    </ul>
  )

interface TellProps {
  to: Recipient
  /** Where the buyer is written to; null: nowhere. */
  contact: string | null
  tell: boolean
  setTell: (tell: boolean) => void
}

function Tell({ to, contact, tell, setTell }: TellProps) {
  const [isShown, setShown] = useState(false)
  if (contact === null)
    return <Hint>{t('The order has no email address: copy the link for the buyer.')}</Hint>
  return (
    <BlockStack gap="200">
      <Checkbox
        label={t('Tell the buyer')}
        helpText={t('To {to}', { to: contact })}
        checked={tell}
        onChange={setTell}
      />
      {tell && to.email !== null && (
        <div>
          <Button variant="plain" ariaExpanded={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? t('Hide the email') : t('See the email')}
          </Button>
        </div>
      )}
      {tell && isShown && (
        <MailPreview mail="added" {...(to.locale === null ? {} : { language: to.locale })} />
      )}
    </BlockStack>
  )
}
