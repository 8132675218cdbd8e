// The dialog that creates or edits a drop account: its name, from where it may connect, its keys.
import { useState } from 'react'
import { NAME_ENCODINGS, type NameEncoding } from '../../../plugins/_page/name-encodings.ts'
import { readPublicKeys, type KeyTextProblem } from '../../../plugins/_page/public-key-text.ts'
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Unloaded } from '../../shell/components/unloaded.tsx'
import { clearing, objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { WordsField } from '../../shell/components/words-field.tsx'
import { t } from '../../shell/messages/t.ts'
import {
  Select,
  TextField,
  BlockStack,
  InlineError,
  InlineStack,
  Text,
} from '../../shell/ui/index.ts'
import { CriticalButton } from '../../shell/components/critical-button.tsx'
import { ENCODINGS } from '../csv/labels.ts'
import {
  type DropAccount,
  type DropAccountWithPassword,
  useChangeDropAccount,
  useDropAccount,
  useCreateDropAccount,
} from './calls.ts'

interface Props {
  /** Null creates an account. */
  account: DropAccount | null
  onClose: () => void
  onMade?: (account: DropAccountWithPassword) => void
}

interface EditProps {
  /** As it is listed. */
  account: DropAccount
  onClose: () => void
}

/** The fields of the dialog, their problems, and saving them. */
function useAccountForm(props: Props) {
  const { account } = props
  const { save, saving, ...sent } = useSaveAccount(props)
  const [name, setName] = useState(account?.name ?? '')
  const [addresses, setAddresses] = useState<string[]>(account?.allowed_addresses ?? [])
  const [keys, setKeys] = useState<readonly WrittenKey[]>(account?.public_keys ?? [])
  const [encoding, setEncoding] = useState<NameEncoding>(account?.name_encoding ?? 'utf-8')
  const [unnamed, setUnnamed] = useState(false)
  const problems = problemsOf(objectionsIn(sent.error))
  const submit = () => {
    setUnnamed(name.trim() === '')
    if (name.trim() === '') return
    save({
      name: name.trim(),
      allowed_addresses: addresses,
      public_keys: keys.map(({ name, key }) => ({ name, key })),
      name_encoding: encoding,
    })
  }
  return {
    name: {
      value: name,
      error: unnamed
        ? t('Enter a name, for example the computer that sends files')
        : problems.at('name'),
      onChange: clearing(sent, (text: string) => {
        setName(text)
        setUnnamed(false)
      }),
    },
    addresses: {
      value: addresses,
      error: problems.within('allowed_addresses'),
      onChange: clearing(sent, setAddresses),
    },
    keys: { keys, error: problems.within('public_keys'), onChange: clearing(sent, setKeys) },
    encoding: {
      value: encoding,
      onChange: (value: string) => setEncoding(value as NameEncoding),
    },
    error: problems.all.length === 0 ? sent.error : null,
    saving,
    submit,
  }
}

/** The dialog that changes an account: it begins with the account as it is read now, not as it is listed. */
export function EditAccountDialog({ account: { id, name }, onClose }: EditProps) {
  const account = useDropAccount(id)
  if (account.data) return <AccountDialog account={account.data} onClose={onClose} />
  return (
    <Dialog title={t('Edit {name}', { name })} onClose={onClose}>
      <Unloaded
        query={account}
        what={t('the account')}
        problem={t('The account could not be loaded')}
      />
    </Dialog>
  )
}

export function AccountDialog(props: Props) {
  const { account, onClose } = props
  const { name, addresses, keys, encoding, error, saving, submit } = useAccountForm(props)
  return (
    <Dialog
      title={account === null ? t('Create account') : t('Edit {name}', { name: account.name })}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{
        content: account === null ? t('Create') : t('Save'),
        onAction: submit,
        loading: saving,
      }}
    >
      {error && <Problem error={error} what={t('The account could not be saved')} />}
      <TextField
        label={t('Name')}
        maxLength={100}
        placeholder={t('Warehouse computer')}
        helpText={t('A name that you will recognize. The username is created automatically.')}
        {...name}
      />
      <WordsField
        label={t('Allowed addresses')}
        help={t(
          'Leave it empty to allow any. Enter an IPv4 or IPv6 address, or a range like 203.0.113.0/24, and press Enter.',
        )}
        placeholder="203.0.113.7"
        {...addresses}
      />
      <KeysField {...keys} />
      <Select
        label={t('File names over FTP')}
        helpText={t(
          'Only for scanners and old programs whose file names arrive with wrong letters. Programs that use UTF-8 are recognised.',
        )}
        options={NAME_ENCODINGS.map((value) => ({ value, label: ENCODINGS[value] }))}
        {...encoding}
      />
    </Dialog>
  )
}

/** Creates the account, or changes it. */
function useSaveAccount({ account, onClose, onMade }: Props) {
  const create = useCreateDropAccount()
  const change = useChangeDropAccount(useKnown(account ?? undefined))
  const save = (fields: Parameters<typeof create.mutate>[0]) => {
    if (account === null) return create.mutate(fields, { onSuccess: onMade })
    change.mutate(
      { id: account.id, change: fields },
      {
        onSuccess: () => {
          toast(t('Account saved'))
          onClose()
        },
      },
    )
  }
  const { isPending: saving, error, reset } = account === null ? create : change
  return { save, saving, error, reset }
}

// The public keys of a drop account; a key is added by pasting its .pub file.

interface WrittenKey {
  name: string
  key: string
  /** The fingerprint of a saved key. */
  fingerprint?: string
}

interface KeysFieldProps {
  keys: readonly WrittenKey[]
  error: string | undefined
  onChange: (keys: readonly WrittenKey[]) => void
}

const PROBLEMS: Record<KeyTextProblem, string> = {
  private: t(
    'This is the private key, which must stay on its computer: paste the public key, the line of the .pub file',
  ),
  device: t('Keys of security devices cannot sign in here: use an Ed25519 or RSA key'),
  weak: t('DSA keys are too weak: use an Ed25519 or RSA key'),
  none: t('This is not a public key. Paste the whole line of the .pub file.'),
}

const MAX_NAME = 100

function KeysField({ keys, error, onChange }: KeysFieldProps) {
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState<KeyTextProblem | null>(null)
  const add = (typed: string) => {
    const found = readPublicKeys(typed)
    if (typeof found === 'string') return setWrong(typed.trim() === '' ? null : found)
    setWrong(null)
    setText('')
    const known = new Set(keys.map(({ key }) => key))
    const fresh = found.filter(({ key }) => !known.has(key) && known.add(key))
    // `ssh-ed25519 AAAA… mary@laptop`: the comment becomes its name.
    const added = fresh.map(({ key, comment }, at) => {
      const number = keys.length + at + 1
      return { name: comment.slice(0, MAX_NAME) || t('Key {number}', { number }), key }
    })
    onChange([...keys, ...added])
  }
  return (
    <BlockStack gap="200">
      {keys.map(({ name, key, fingerprint }, at) => (
        <InlineStack key={key} align="space-between" blockAlign="center" gap="200" wrap={false}>
          <Text as="span" variant="bodySm" breakWord>
            {`${name} · ${fingerprint ?? t('not saved yet')}`}
          </Text>
          <CriticalButton
            label={t('Remove the key {name}', { name })}
            onClick={() => onChange(keys.filter((_, other) => other !== at))}
            text={t('Remove')}
          />
        </InlineStack>
      ))}
      <TextField
        label={t('Public key for SFTP')}
        multiline={2}
        monospaced
        // oxlint-disable-next-line house/translated-texts -- a key is not translated
        placeholder="ssh-ed25519 AAAA… mary@laptop"
        helpText={t('Paste the line of the .pub file. A program with this key needs no password.')}
        error={wrong === null ? undefined : PROBLEMS[wrong]}
        value={text}
        onChange={(typed) => {
          setText(typed)
          setWrong(null)
          // A pasted key is added immediately, a typed one when the field loses the focus.
          if (typed.length - text.length > 1 && typeof readPublicKeys(typed) !== 'string')
            add(typed)
        }}
        onBlur={() => add(text)}
      />
      {error && <InlineError message={error} fieldID="public-keys" />}
    </BlockStack>
  )
}
