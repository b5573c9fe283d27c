import { useState } from 'react'
import { cn } from '@/lib/cn'
import { common } from '@/messages/common'

interface FileTileProps {
  href: string
  name: string
  className?: string
}

/** A sent file: a picture as it looks, any other as a tile with its name. It opens in a new tab. */
export function FileTile({ href, name, className }: FileTileProps) {
  const [drawn, setDrawn] = useState(true)
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      className={cn('block rounded-md border p-2 hover:border-input', className)}
    >
      {drawn ? (
        <img
          src={href}
          alt={name}
          loading="lazy"
          className="h-40 w-full rounded-sm object-contain"
          onError={() => setDrawn(false)}
        />
      ) : null}
      <span className={cn('block text-sm font-medium', drawn && 'mt-2')}>
        {name} <span className="sr-only">({common.openInNewTab})</span>
      </span>
    </a>
  )
}
