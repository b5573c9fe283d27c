import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { VoucherFound } from '@/api/types.gen'
import { isUnanswered } from '@/components/form/send-error'
import { addressOf } from '@/lib/clean'
import { useDraft } from '@/lib/draft'
import { HttpError, idempotencyKey, messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { common } from '@/messages/common'
import { form } from '@/messages/form'
import { vouchers as texts } from '@/messages/vouchers'
import { CODE_LENGTH, codeTyped } from './code'
import { redeem, validate, worthOf } from './queries'

type Field = 'code' | 'cryptoType' | 'walletAddress'

export type Redeeming = ReturnType<typeof useRedeem>

const empty = { code: '', cryptoType: '', walletAddress: '' }

function refuse(description: string, title: string = common.error) {
  toast({ title, description, variant: 'destructive' })
}

/** specification §2's two steps: the code is checked, then a coin and a wallet are given for it. */
export function useRedeem() {
  const client = useQueryClient()
  const draft = useDraft({ form: 'voucher', empty, withheld: ['code'] })
  const { code, cryptoType, walletAddress } = draft.values
  const set = (part: Partial<typeof empty>) => draft.setValues((before) => ({ ...before, ...part }))
  const [found, setFound] = useState<VoucherFound>()
  const [mistakes, setMistakes] = useState<Partial<Record<Field, string>>>({})
  const [asking, setAsking] = useState(false)
  const key = useRef(idempotencyKey())

  /** Any change begins another intent, and clears the messages of the previous one. */
  const changed = () => {
    key.current = idempotencyKey()
    setMistakes({})
    checking.reset()
    redeeming.reset()
  }
  const back = () => {
    changed()
    setFound(undefined)
  }
  const checking = useMutation({
    mutationFn: () => validate(code),
    onSuccess: (voucher) => {
      toast({ title: texts.validTitle, description: texts.validText(worthOf(voucher)) })
      changed()
      // The only one there is, or the one that was chosen before, where this voucher has it.
      const types = voucher.options.map((option) => option.cryptoType)
      const [only] = types.length === 1 ? types : types.filter((type) => type === cryptoType)
      set({ cryptoType: only ?? '' })
      setFound(voucher)
    },
    onError: (error) => {
      const text = messageOf(error, texts.invalidText)
      setMistakes({ code: text })
      refuse(text, texts.invalidTitle)
    },
  })
  const redeeming = useMutation({
    mutationFn: () => redeem(code, cryptoType, walletAddress, key.current),
    onSuccess: (voucher) => {
      toast({ title: texts.redeemed, action: { label: texts.mine, href: `/vouchers/${voucher.id}` } })
      back()
      draft.clear()
      for (const queryKey of [['transactions'], ['vouchers']]) void client.invalidateQueries({ queryKey })
    },
    onError: (error) => {
      const fields = error instanceof HttpError ? error.fields : []
      setMistakes(Object.fromEntries(fields.map(({ field, message }) => [field, message])))
      // Without an answer the outcome is unknown: the toast must not say more than the form does.
      refuse(isUnanswered(error) ? form.unknown : messageOf(error, texts.failed), texts.failed)
    },
    onSettled: () => setAsking(false),
  })
  return {
    code,
    found,
    cryptoType,
    walletAddress,
    mistakes: code.length > CODE_LENGTH ? { ...mistakes, code: texts.badCode } : mistakes,
    pending: checking.isPending || redeeming.isPending,
    checkError: checking.error,
    redeemError: redeeming.error,
    draft,
    typeCode: (typed: string) => {
      changed()
      set({ code: codeTyped(typed) })
    },
    choose: (asset: string) => {
      changed()
      set({ cryptoType: asset })
    },
    typeWallet: (typed: string) => {
      changed()
      set({ walletAddress: addressOf(typed) })
    },
    back,
    check: () => {
      if (checking.isPending) return
      if (code.length !== CODE_LENGTH) {
        setMistakes({ code: texts.badCode })
        refuse(texts.badCode)
        return
      }
      checking.mutate()
    },
    asking,
    /** The confirmation of what is redeemed, and of the whole address of its destination. */
    review: () => {
      if (redeeming.isPending) return
      const absent = [
        ...(cryptoType === '' ? ['cryptoType'] : []),
        ...(walletAddress.trim() === '' ? ['walletAddress'] : []),
      ]
      if (absent.length > 0) {
        setMistakes(Object.fromEntries(absent.map((field) => [field, texts.required])))
        refuse(texts.required)
        return
      }
      setAsking(true)
    },
    edit: () => setAsking(false),
    redeem: () => redeeming.mutate(),
  }
}
