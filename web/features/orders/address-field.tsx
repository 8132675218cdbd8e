// The field for a buyer's address or phone number, in the dialogs that correct it.
import { type ReactElement, useState } from 'react'
import { addressProblem } from '../../shell/labels/address.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, ChoiceList, TextField } from '../../shell/ui/index.ts'
import { type Contact, type Delivery } from './calls.ts'

interface Address {
  /** What is in the field, without spaces around it. */
  contact: Contact
  /** It is what was stored before. */
  isUnchanged: boolean
  isPhone: boolean
  /** The title of the dialog: nothing is corrected where nothing was stored. */
  title: string
  /** False: the field now says what is wrong. */
  check: () => boolean
  field: (props: { label: string; refused: (param: string) => string | undefined }) => ReactElement
}

const PHONE = /^(\+|00)\d{7,}$/

/** @param texts the shop sends text messages to buyers without an email address */
export function useAddressField(
  { email, phone }: Pick<Delivery, 'email' | 'phone'>,
  texts: boolean,
): Address {
  const [isPhone, setIsPhone] = useState(email === null && phone !== null)
  const before = isPhone ? phone : email
  const [written, setWritten] = useState(before ?? '')
  const [wrong, setWrong] = useState(false)
  const value = written.trim()
  const show = (as: boolean) => {
    setIsPhone(as)
    setWritten((as ? phone : email) ?? '')
    setWrong(false)
  }
  return {
    contact: isPhone ? { phone: value } : { email: value },
    isUnchanged: value === before,
    isPhone,
    title: titleOf(isPhone, before),
    check: () => {
      const isRight = isPhone
        ? PHONE.test(value.replaceAll(/[\s().\-/]/g, ''))
        : value !== '' && addressProblem(value) === null
      setWrong(!isRight)
      return isRight
    },
    field: ({ label, refused }) => (
      <BlockStack gap="300">
        {email === null && (texts || phone !== null) && (
          <ChoiceList
            title={t('Write to the buyer by')}
            choices={[
              { value: 'email', label: t('Email') },
              { value: 'phone', label: t('Text message') },
            ]}
            selected={[isPhone ? 'phone' : 'email']}
            onChange={([chosen]) => show(chosen === 'phone')}
          />
        )}
        <TextField
          key={String(isPhone)}
          label={isPhone ? t('Phone number with its country code') : label}
          type={isPhone ? 'tel' : 'email'}
          maxLength={isPhone ? 40 : 254}
          placeholder={isPhone ? '+4915112345678' : undefined}
          value={written}
          error={wrong ? wrongText(isPhone) : refused(isPhone ? 'phone' : 'email')}
          onChange={(text) => {
            setWritten(text)
            setWrong(false)
          }}
        />
      </BlockStack>
    ),
  }
}

function titleOf(isPhone: boolean, before: string | null): string {
  if (before === null) return isPhone ? t('Enter the number') : t('Enter the address')
  return isPhone ? t('Correct the number') : t('Correct the address')
}

const wrongText = (isPhone: boolean): string =>
  isPhone
    ? t('Enter a phone number with its country, like +4915112345678')
    : t('Enter an address like name@example.com')
