import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { RiskRule } from '@/api/types.gen'
import { AmountField } from '@/components/form/amount-field'
import { Field } from '@/components/form/field'
import { Time } from '@/components/status/time'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Input, Label } from '@/components/ui/input'
import { Switch } from '@/components/ui/switch'
import { usd } from '@/lib/format'
import { useSignedInUser } from '@/lib/session'
import { riskRules as names, adminRisk as texts } from '@/messages/admin-risk'
import { DecisionDialog } from '../shared/decision-dialog'
import { Loaded } from '../shared/loaded'
import { useStepUpAct } from '../shared/use-step-up-act'
import { changeRule, riskKey, riskRulesQuery } from './queries'

/** These are about sums: their limit is cents on the way and dollars on the screen. */
const inDollars: readonly string[] = ['volume_per_hour', 'volume_per_day', 'new_account_large_order']

/** A whole number of hundredths as dollars, and back, without a float. */
const dollars = (cents: number) => `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`

/** The rules that speak against orders. */
export function RiskRules() {
  const query = useQuery(riskRulesQuery)
  const mayChange = useSignedInUser().permissions.includes('review_customers')
  const [changing, setChanging] = useState<RiskRule>()
  return (
    <>
      <p className="mb-4 max-w-prose text-sm text-muted-foreground">
        {texts.rulesLead} {mayChange ? '' : texts.readOnly}
      </p>
      <Loaded query={query} failed={texts.rulesFailed}>
        {(rules) => (
          <Card>
            <ul className="divide-y">
              {rules.map((rule) => (
                <Row key={rule.code} rule={rule} mayChange={mayChange} onChange={() => setChanging(rule)} />
              ))}
            </ul>
          </Card>
        )}
      </Loaded>
      {changing ? <Changing rule={changing} onClose={() => setChanging(undefined)} /> : null}
    </>
  )
}

function limitOf(rule: RiskRule): string {
  if (rule.code === 'threshold') return texts.points(rule.score)
  const most = inDollars.includes(rule.code) ? usd(dollars(rule.most)) : String(rule.most)
  return `${most} ${texts.within(rule.hours)} · ${texts.points(rule.score)}`
}

interface RowProps {
  rule: RiskRule
  mayChange: boolean
  onChange: () => void
}

function Row({ rule, mayChange, onChange }: RowProps) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-3 text-sm">
      <div className="min-w-0 flex-1">
        <p className="font-medium">{names[rule.code]}</p>
        <p className="text-muted-foreground tabular-nums">
          {limitOf(rule)} · {rule.enabled ? texts.ruleOn : texts.ruleOff}
        </p>
        {rule.changedAt && rule.changedBy ? (
          <p className="mt-0.5 text-muted-foreground wrap-anywhere">
            <Time at={rule.changedAt} /> {texts.changedBy(rule.changedBy)}
          </p>
        ) : null}
      </div>
      {mayChange ? (
        <Button variant="outline" size="sm" onClick={onChange}>
          {texts.change}
          <span className="sr-only"> {names[rule.code]}</span>
        </Button>
      ) : null}
    </li>
  )
}

function Changing({ rule, onClose }: { rule: RiskRule; onClose: () => void }) {
  const money = inDollars.includes(rule.code)
  const [enabled, setEnabled] = useState(rule.enabled)
  const [most, setMost] = useState(String(money ? Math.trunc(rule.most / 100) : rule.most))
  const [hours, setHours] = useState(String(rule.hours))
  const [score, setScore] = useState(String(rule.score))
  const whole = [most, hours, score].every((entered) => /^\d{1,7}$/.test(entered))
  const press = useStepUpAct(
    (reason, code) =>
      changeRule(
        rule.code,
        {
          enabled,
          most: Number(most) * (money ? 100 : 1),
          hours: Number(hours),
          score: Number(score),
          version: rule.version,
          reason,
        },
        code,
      ),
    {
      said: () => ({ title: texts.changed }),
      failed: texts.failed,
      failedText: texts.failedText,
      changes: [riskKey],
      onDone: onClose,
    },
  )
  const number = (id: string, label: string, value: string, set: (value: string) => void) => (
    <Field id={id} label={label}>
      {(field) => (
        <Input {...field} inputMode="numeric" value={value} onChange={(event) => set(event.target.value)} />
      )}
    </Field>
  )
  return (
    <DecisionDialog
      title={texts.changeTitle(names[rule.code])}
      text={texts.changeText}
      confirm={texts.change}
      incomplete={!whole}
      reason={{ label: texts.reason, placeholder: texts.reasonPlaceholder }}
      decision={press}
      onClose={onClose}
    >
      <div className="mb-4 space-y-4">
        <div className="flex items-center justify-between">
          <Label htmlFor="rule-enabled">{texts.enabled}</Label>
          <Switch id="rule-enabled" checked={enabled} onCheckedChange={setEnabled} />
        </div>
        {rule.code === 'threshold' ? null : (
          <>
            {money ? (
              <AmountField
                id="rule-most"
                label={texts.most.cents}
                unit="USD"
                decimals={0}
                value={most}
                onChange={setMost}
              />
            ) : (
              number('rule-most', texts.most.number, most, setMost)
            )}
            {number('rule-hours', texts.hours, hours, setHours)}
          </>
        )}
        {number('rule-score', texts.score, score, setScore)}
      </div>
    </DecisionDialog>
  )
}
