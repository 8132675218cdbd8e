// The dialog that creates or edits a drop account: its name, from where it may connect, its keys.
import { useState } from 'react'
import { NAME_ENCODINGS, type NameEncoding } from '../../../plugins/_page/name-encodings.ts'
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import {
  type DropAccount,
  type DropAccountWithPassword,
  useChangeDropAccount,
  useDropAccount,
  useCreateDropAccount,
} from './calls.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { WordsField } from '../../shell/components/words-field.tsx'
import { t } from '../../shell/messages/t.ts'
import { ENCODINGS } from '../csv/labels.ts'
import { Select, TextField } from '../../shell/ui/index.ts'
import { KeysField, type WrittenKey } from './keys-field.tsx'

interface Props {
  /** Null creates an account. */
  account: DropAccount | null
  onClose: () => void
  onMade: (account: DropAccountWithPassword) => void
}

/** The fields of the dialog, their problems, and saving them. */
function useAccountForm(props: Props) {
  const { account } = props
  const { save, saving, error } = useSaveAccount(props)
  const [name, setName] = useState(account?.name ?? '')
  const [addresses, setAddresses] = useState<string[]>(account?.allowed_addresses ?? [])
  const [keys, setKeys] = useState<readonly WrittenKey[]>(account?.public_keys ?? [])
  const [encoding, setEncoding] = useState<NameEncoding>(account?.name_encoding ?? 'utf-8')
  const [unnamed, setUnnamed] = useState(false)
  const problems = problemsOf(objectionsIn(error))
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
      onChange: (text: string) => {
        setName(text)
        setUnnamed(false)
      },
    },
    addresses: {
      value: addresses,
      error: problems.within('allowed_addresses'),
      onChange: setAddresses,
    },
    keys: { keys, error: problems.within('public_keys'), onChange: setKeys },
    encoding: {
      value: encoding,
      onChange: (value: string) => setEncoding(value as NameEncoding),
    },
    error: problems.all.length === 0 ? error : null,
    saving,
    submit,
  }
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
  const change = useChangeDropAccount(useKnown(useDropAccount(account?.id ?? null).data))
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
  return { save, saving: create.isPending || change.isPending, error: create.error ?? change.error }
}
