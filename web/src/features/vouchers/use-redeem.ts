import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { VoucherFound } from '@/api/types.gen'
import { HttpError, idempotencyKey, messageOf } from '@/lib/http'
import { toast } from '@/lib/toast'
import { common } from '@/messages/common'
import { vouchers as texts } from '@/messages/vouchers'
import { CODE_LENGTH, codeTyped } from './code'
import { redeem, validate, worthOf } from './queries'

type Field = 'code' | 'cryptoType' | 'walletAddress'

export type Redeeming = ReturnType<typeof useRedeem>

function refuse(description: string, title: string = common.error) {
  toast({ title, description, variant: 'destructive' })
}

/** SPEC §2's two steps: the code is checked, then a coin and a wallet are given for it. */
export function useRedeem() {
  const client = useQueryClient()
  const [code, setCode] = useState('')
  const [found, setFound] = useState<VoucherFound>()
  const [cryptoType, setCryptoType] = useState('')
  const [walletAddress, setWallet] = useState('')
  const [mistakes, setMistakes] = useState<Partial<Record<Field, string>>>({})
  const key = useRef(idempotencyKey())

  /** Any change begins another intent, and takes back what was said about the one before. */
  const changed = () => {
    key.current = idempotencyKey()
    setMistakes({})
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
      setCryptoType(voucher.options.length === 1 ? (voucher.options[0]?.cryptoType ?? '') : '')
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
      setCode('')
      setCryptoType('')
      setWallet('')
      for (const queryKey of [['transactions'], ['vouchers']]) void client.invalidateQueries({ queryKey })
    },
    onError: (error) => {
      const fields = error instanceof HttpError ? error.fields : []
      setMistakes(Object.fromEntries(fields.map(({ field, message }) => [field, message])))
      refuse(messageOf(error, texts.failed), texts.failed)
    },
  })
  return {
    code,
    found,
    cryptoType,
    walletAddress,
    mistakes,
    pending: checking.isPending || redeeming.isPending,
    typeCode: (typed: string) => {
      changed()
      setCode(codeTyped(typed))
    },
    choose: (asset: string) => {
      changed()
      setCryptoType(asset)
    },
    typeWallet: (typed: string) => {
      changed()
      setWallet(typed)
    },
    back,
    check: () => {
      if (checking.isPending) return
      if (code.length < CODE_LENGTH) {
        setMistakes({ code: texts.badCode })
        refuse(texts.badCode)
        return
      }
      checking.mutate()
    },
    redeem: () => {
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
      redeeming.mutate()
    },
  }
}
