// The public keys of a drop account; a key is added by pasting its .pub file.
import { useState } from 'react'
import { CriticalButton } from '../../shell/components/critical-button.tsx'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, InlineError, InlineStack, Text, TextField } from '../../shell/ui/index.ts'

export interface WrittenKey {
  name: string
  key: string
  /** The fingerprint of a saved key. */
  fingerprint?: string
}

interface Props {
  keys: readonly WrittenKey[]
  error: string | undefined
  onChange: (keys: readonly WrittenKey[]) => void
}

const OPENSSH = /^(ssh-|ecdsa-|sk-)\S+ [A-Za-z0-9+/=]+/

export function KeysField({ keys, error, onChange }: Props) {
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState(false)
  const add = (typed: string) => {
    const key = typed.trim()
    if (!OPENSSH.test(key)) return setWrong(key !== '')
    setWrong(false)
    setText('')
    // `ssh-ed25519 AAAA… mary@laptop`: the comment becomes its name.
    const comment = key.split(/\s+/).slice(2).join(' ').slice(0, 100)
    onChange([...keys, { name: comment || t('Key {number}', { number: keys.length + 1 }), key }])
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
        error={
          wrong ? t('This is not a public key. Paste the whole line of the .pub file.') : undefined
        }
        value={text}
        onChange={(typed) => {
          setText(typed)
          setWrong(false)
          // A pasted key is added immediately, a typed one when the field loses the focus.
          if (OPENSSH.test(typed.trim()) && typed.length - text.length > 1) add(typed)
        }}
        onBlur={() => add(text)}
      />
      {error && <InlineError message={error} fieldID="public-keys" />}
    </BlockStack>
  )
}
