// The public keys of a drop account; a key is added by pasting its .pub file.
import { useState } from 'react'
import { readPublicKeys, type KeyTextProblem } from '../../../plugins/_page/public-key-text.ts'
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

const PROBLEMS: Record<KeyTextProblem, string> = {
  private: t(
    'This is the private key, which must stay on its computer: paste the public key, the line of the .pub file',
  ),
  device: t('Keys of security devices cannot sign in here: use an Ed25519 or RSA key'),
  weak: t('DSA keys are too weak: use an Ed25519 or RSA key'),
  none: t('This is not a public key. Paste the whole line of the .pub file.'),
}

const MAX_NAME = 100

export function KeysField({ keys, error, onChange }: Props) {
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
