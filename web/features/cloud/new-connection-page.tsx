// The first steps of a connection: choose a provider, then enter its fields.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { focusField } from '../../shell/components/problem-list.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, Card, InlineStack, Text, Hint } from '../../shell/ui/index.ts'
import { actionName } from '../../shell/labels/action-name.ts'
import { messageText } from '../../shell/messages/server-text.ts'
import { type Provider, useCloud, useCreateConnection } from './calls.ts'
import { ProviderFields } from './provider-fields.tsx'
import { missingFields, textsOf } from './provider-draft.ts'
import { RcloneMissing } from './rclone-missing.tsx'
import './connections.css'

export function NewConnectionPage() {
  const cloud = useCloud()
  const [chosen, setChosen] = useState<Provider | null>(null)
  return (
    <Page
      title={chosen ? t('Connect {provider}', { provider: chosen.title }) : t('Connect')}
      backAction={
        chosen
          ? { content: t('Providers'), onAction: () => setChosen(null) }
          : { content: t('Connections'), url: '/import/connections' }
      }
    >
      <BlockStack gap="400">
        {cloud.data && (
          <RcloneMissing cloud={cloud.data} {...(chosen && { provider: chosen.id })} />
        )}
        <LoadProblem query={cloud} what={t('The providers could not be loaded')} />
        {cloud.isPending && (
          <Card padding="0">
            <LoadingRows rows={4} what={t('providers')} />
          </Card>
        )}
        {chosen ? (
          <ProviderForm key={chosen.id} provider={chosen} onBack={() => setChosen(null)} />
        ) : (
          cloud.data && <ProviderList providers={cloud.data.providers} onChoose={setChosen} />
        )}
      </BlockStack>
    </Page>
  )
}

/** The settings of a new connection, their problems, and connecting with them. */
function useNewConnection(provider: Provider) {
  const create = useCreateConnection()
  const [values, setValues] = useState<Record<string, string>>({})
  const [tried, setTried] = useState(false)
  const missing = tried ? missingFields(provider, values, []) : []
  const problems = problemsOf(missing, objectionsIn(create.error))
  const change = (part: Record<string, string>) => {
    setValues((before) => ({ ...before, ...part }))
    if (create.error) create.reset()
  }
  const submit = () => {
    setTried(true)
    const [first] = missingFields(provider, values, [])
    if (first) return focusField(first.param)
    create.mutate(
      { provider: provider.id, ...textsOf(values) },
      { onSuccess: ({ id }) => navigate(`/import/connections/${id}`) },
    )
  }
  return { create, values, problems, change, submit }
}

function ProviderForm({ provider, onBack }: { provider: Provider; onBack: () => void }) {
  const { create, values, problems, change, submit } = useNewConnection(provider)
  const oauth = provider.sign_in === 'oauth'
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Titled
        title={oauth ? t('Sign in at {provider}', { provider: provider.title }) : t('Access')}
        help={
          oauth
            ? t(
                'In the next step you sign in at {provider} in its own window, then choose a folder.',
                {
                  provider: provider.title,
                },
              )
            : t(
                'The access is tested by reading the list of files, and only then saved. Secrets are stored encrypted and never shown again.',
              )
        }
      >
        {create.error && problems.all.length === 0 && (
          <Problem error={create.error} what={t('The connection could not be made')} />
        )}
        <ProviderFields
          provider={provider}
          values={values}
          problems={problems}
          onChange={change}
          without={FOLDERS}
        />
        <InlineStack gap="200" blockAlign="center">
          <Button variant="primary" submit loading={create.isPending}>
            {t('Continue')}
          </Button>
          <Button onClick={onBack} disabled={create.isPending}>
            {t('Back')}
          </Button>
          {create.isPending && !oauth && (
            <Text as="span" tone="subdued">
              <span role="status">{t('Testing the access')}</span>
            </Text>
          )}
        </InlineStack>
      </Titled>
    </form>
  )
}

/** Chosen in a later step. */
const FOLDERS = ['folder', 'prefix'] as const

// The providers to choose from; one that the operator has not configured says so.

interface Props {
  providers: readonly Provider[]
  onChoose: (provider: Provider) => void
}

function ProviderList({ providers, onChoose }: Props) {
  return (
    <Card>
      <ul className="providers" aria-label={t('Providers')}>
        {providers.map((provider) => (
          <li
            key={provider.id}
            className={provider.available ? 'provider' : 'provider unavailable'}
          >
            <About provider={provider} />
            {provider.available && (
              <Button
                accessibilityLabel={actionName(t('Connect'), provider.title)}
                onClick={() => onChoose(provider)}
              >
                {t('Connect')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

const HOW: Record<Provider['sign_in'], string> = {
  oauth: t('You sign in at the provider.'),
  keys: t('You enter an access key.'),
  none: t('A folder of this server, to try a sync without an account.'),
}

function About({ provider: { title, sign_in, message, message_text } }: { provider: Provider }) {
  return (
    <BlockStack gap="100">
      <Text as="h2" variant="headingSm">
        {title}
      </Text>
      <Hint>{HOW[sign_in]}</Hint>
      {message !== null && <Text as="p">{messageText({ message, message_text })}</Text>}
    </BlockStack>
  )
}
