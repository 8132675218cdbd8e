// The dialog in which the owner of a shop lets the key of an agency act in it, by the code of the key.
import { useState } from 'react'
import { ApiError } from '../../../shell/client/error.ts'
import { toast } from '../../../shell/client/bridge.ts'
import { Dialog } from '../../../shell/components/dialog.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { clearing, objectionsIn, problemsOf } from '../../../shell/components/problems.ts'
import { t } from '../../../shell/messages/t.ts'
import { Banner, Select, TextField } from '../../../shell/ui/index.ts'
import { useAgencyKey, useGrantAccess } from '../api-key-calls.ts'
import { chosenScopes } from '../api-key-labels.ts'
import { LIFETIMES, ScopeChoices } from './scope-choices.tsx'

function shown(name: string, onClose: () => void): void {
  toast(t('{name} has access', { name }))
  onClose()
}

const READING = ['files:read', 'operations:read']

export function GrantAccess({ onClose }: { onClose: () => void }) {
  const grant = useGrantAccess()
  const [code, setCode] = useState('')
  const [scopes, setScopes] = useState<string[]>(READING)
  const [days, setDays] = useState('365')
  const [missing, setMissing] = useState<{ code?: string; scopes?: string }>({})
  const agency = useAgencyKey(code.trim())
  const problems = problemsOf(objectionsIn(grant.error))
  const submit = () => {
    const found = {
      ...(agency.data ? {} : { code: t('Enter the code that the agency gave you') }),
      ...(scopes.length === 0 ? { scopes: t('Choose at least one') } : {}),
    }
    setMissing(found)
    if (Object.keys(found).length > 0) return
    const expires_in_days = days === '' ? null : Number(days)
    const given = { code: code.trim(), scopes: chosenScopes(scopes), expires_in_days }
    grant.mutate(given, { onSuccess: ({ name }) => shown(name, onClose) })
  }
  return (
    <Dialog
      title={t('Give an agency access')}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{
        content: t('Give access'),
        onAction: submit,
        loading: grant.isPending,
        disabled: agency.isFetching,
      }}
    >
      {grant.error && problems.all.length === 0 && (
        <Problem error={grant.error} what={t('The access could not be given')} />
      )}
      <AgencyCode
        agency={agency}
        value={code}
        error={missing.code ?? problems.at('code')}
        onChange={clearing(grant, (text: string) => {
          setCode(text)
          setMissing({})
        })}
      />
      <ScopeChoices
        selected={scopes}
        error={missing.scopes ?? problems.at('scopes')}
        onChange={clearing(grant, (chosen: string[]) => {
          setScopes(chosen)
          setMissing({})
        })}
      />
      <Select label={t('Access ends')} options={LIFETIMES} value={days} onChange={setDays} />
    </Dialog>
  )
}

interface CodeProps {
  agency: ReturnType<typeof useAgencyKey>
  value: string
  error: string | undefined
  onChange: (text: string) => void
}

/** The code, and whose key it names. */
function AgencyCode({ agency, value, error, onChange }: CodeProps) {
  const isUnknown = agency.error instanceof ApiError && agency.error.status === 404
  return (
    <>
      <TextField
        label={t('Code of the agency')}
        autoFocus
        maxLength={100}
        helpText={t('The agency finds it with its key, under Settings, API keys.')}
        value={value}
        error={isUnknown ? t('No key of another shop has this code, or it was revoked') : error}
        onChange={onChange}
      />
      {agency.data && (
        <Banner>
          {t('This is the key “{name}” of {shop}. Is that who gave you the code?', {
            name: agency.data.name,
            shop: agency.data.shop.domain,
          })}
        </Banner>
      )}
      {agency.error && !isUnknown && (
        <Problem error={agency.error} what={t('The code could not be looked up')} />
      )}
    </>
  )
}
