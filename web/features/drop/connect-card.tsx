// The values to connect with, each to be copied, and how to enter them in common programs.
import { type ReactNode, useState } from 'react'
import { type Drop, type DropAccount } from './calls.ts'
import { Code, Copy } from '../../shell/components/copy.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { inSentence } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, Hint, Select, Text } from '../../shell/ui/index.ts'
import { PROGRAMS } from './programs.ts'
import './drop.css'

interface Props {
  drop: Drop
  accounts: readonly DropAccount[]
}

export function ConnectCard({ drop, accounts }: Props) {
  const [chosen, setChosen] = useState<string | null>(null)
  const account = accounts.find(({ id }) => id === chosen) ?? accounts[0]
  if (!account) return null
  return (
    <Titled
      title={t('Connect')}
      help={t('SFTP is the safest choice: it is encrypted and needs one port only.')}
    >
      {accounts.length > 1 && (
        <Select
          label={t('Account')}
          options={accounts.map(({ id, name }) => ({ value: id, label: name }))}
          value={account.id}
          onChange={setChosen}
        />
      )}
      <dl className="connect-values">
        <Value name={t('Host')} text={drop.host} />
        <Value name={t('Port for SFTP')} text={String(drop.sftp_port)} />
        <Value
          name={t('Port for FTP')}
          text={String(drop.ftp_port)}
          note={
            drop.tls_required
              ? t('Explicit TLS is required, passive mode.')
              : t('Passive mode, explicit TLS if the program offers it.')
          }
        />
        <Value name={t('Username')} text={account.username} />
        <Value name={t('Upload path')} text={drop.path} />
      </dl>
      <Hint>
        {t('The password is shown once, when the account is created or its password changed.')}
      </Hint>
      <Programs values={{ ...drop, username: account.username }} />
    </Titled>
  )
}

function Value({ name, text, note }: { name: string; text: string; note?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span className="connect-value">{text}</span>
        <Copy text={text} what={inSentence(name)} />
        {note && (
          <Text as="span" tone="subdued" variant="bodySm">
            {note}
          </Text>
        )}
      </dd>
    </div>
  )
}

function Programs({ values }: { values: Drop & { username: string } }) {
  const [open, setOpen] = useState<string | null>(null)
  const program = PROGRAMS.find(({ id }) => id === open)
  return (
    <BlockStack gap="300">
      <Text as="h3" variant="headingSm">
        {t('How to connect with')}
      </Text>
      <div className="row-actions" role="group" aria-label={t('How to connect with')}>
        {PROGRAMS.map(({ id, name }) => (
          <Button
            key={id}
            size="slim"
            pressed={id === open}
            onClick={() => setOpen(id === open ? null : id)}
          >
            {name}
          </Button>
        ))}
      </div>
      {program && (
        <Guide name={program.name} steps={program.steps(values)}>
          {program.commands?.(values).map(({ what, text }) => (
            <Code key={what} what={what} text={text} />
          ))}
        </Guide>
      )}
    </BlockStack>
  )
}

interface GuideProps {
  name: string
  steps: readonly string[]
  children?: ReactNode
}

const Guide = ({ name, steps, children }: GuideProps) => (
  <section aria-label={name}>
    <BlockStack gap="300">
      <ol className="steps">
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {children}
    </BlockStack>
  </section>
)
