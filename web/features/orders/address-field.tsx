// The field for a buyer's address, in the dialogs that correct it.
import { type ReactElement, useState } from 'react'
import { addressProblem } from '../../shell/labels/address.ts'
import { t } from '../../shell/messages/t.ts'
import { TextField } from '../../shell/ui/index.ts'

interface Address {
  /** What is in the field, without spaces around it. */
  address: string
  /** False: the field now says what is wrong. */
  check: () => boolean
  field: (props: { label: string; refused: string | undefined }) => ReactElement
}

/** @param before the address until now */
export function useAddressField(before: string | null): Address {
  const [email, setEmail] = useState(before ?? '')
  const [wrong, setWrong] = useState(false)
  const address = email.trim()
  return {
    address,
    check: () => {
      const isAddress = address !== '' && addressProblem(address) === null
      setWrong(!isAddress)
      return isAddress
    },
    field: ({ label, refused }) => (
      <TextField
        label={label}
        type="email"
        autoComplete="off"
        maxLength={254}
        value={email}
        error={wrong ? t('Enter an address like name@example.com') : refused}
        onChange={(text) => {
          setEmail(text)
          setWrong(false)
        }}
      />
    ),
  }
}
