import { ImagePlus, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { FieldErrorText } from '@/components/form/field'
import { Button } from '@/components/ui/button'
import { buttonVariants } from '@/components/ui/button-variants'
import { cn } from '@/lib/cn'
import { isReadable } from '@/lib/files'
import { giftCards as texts } from '@/messages/gift-cards'
import { imageTypes, MAX_IMAGE_BYTES } from './form'
import type { Trade } from './use-trade'

/** The chosen pictures as previews: a file name does not say which side of the card it shows. */
function Thumbnail({ file }: { file: File }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return (
    <span className="h-10 w-14 shrink-0 overflow-hidden rounded-sm bg-muted">
      {url ? <img src={url} alt="" className="size-full object-cover" /> : null}
    </span>
  )
}

/** Several pictures of one card, chosen together or one after another. */
export function Pictures({ trade, most }: { trade: Trade; most: number }) {
  const add = async (chosen: readonly File[]) => {
    const all = [...trade.images, ...chosen]
    if (chosen.some((file) => !imageTypes.some((type) => type === file.type)))
      return trade.refuseImages(texts.wrongType)
    if (chosen.some((file) => file.size > MAX_IMAGE_BYTES)) return trade.refuseImages(texts.tooLarge)
    if (all.length > most) return trade.refuseImages(texts.tooMany(most))
    for (const file of chosen)
      if (!(await isReadable(file))) return trade.refuseImages(texts.damaged(file.name))
    trade.attach(all)
  }
  return (
    <div className="space-y-2">
      <p className="text-sm font-medium">{texts.images}</p>
      {trade.images.length > 0 ? (
        <ul className="divide-y rounded-md border">
          {trade.images.map((file, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two files can have one name
            <li key={`${index} ${file.name}`} className="flex items-center gap-3 p-2 text-sm">
              <Thumbnail file={file} />
              <span className="min-w-0 flex-1 truncate">{file.name}</span>
              <Button
                variant="ghost"
                size="icon-sm"
                aria-label={texts.removeImage(file.name)}
                onClick={() => trade.attach(trade.images.filter((_, at) => at !== index))}
              >
                <X aria-hidden />
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      <label
        htmlFor="gift-card-images"
        className={cn(
          buttonVariants({ variant: 'outline' }),
          'cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-ring',
        )}
      >
        <ImagePlus aria-hidden />
        {texts.addImages}
        <input
          id="gift-card-images"
          type="file"
          multiple
          accept={imageTypes.join(',')}
          aria-describedby="gift-card-images-hint"
          className="sr-only"
          onChange={(event) => {
            void add([...(event.target.files ?? [])])
            event.target.value = ''
          }}
        />
      </label>
      {trade.mistakes.images ? (
        <FieldErrorText id="gift-card-images-error">{trade.mistakes.images}</FieldErrorText>
      ) : null}
      <p id="gift-card-images-hint" className="text-sm text-muted-foreground">
        {texts.imagesHint(most)}
      </p>
    </div>
  )
}
